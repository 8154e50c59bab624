import { expect, it } from 'vitest'
import { exportPath } from '../../../webapp/runs/export-path.ts'

it('the address of an export asks for a byte order mark for CSV alone', () => {
  expect(exportPath('a/b')).toBe('/api/v1/runs/a%2Fb/export')
  expect(exportPath('a/b', 'jsonl')).toBe('/api/v1/runs/a%2Fb/export/jsonl')
  expect(exportPath('a/b', 'csv')).toBe('/api/v1/runs/a%2Fb/export/csv?bom=true')
})
