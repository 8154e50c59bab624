import { describe, expect, it } from 'vitest'
import { importSteps } from '../../../../../webapp/pages/runs/import/import-steps.ts'
import type { Found, ImportItem } from '../../../../../webapp/pages/runs/import/use-import.ts'

const item = (sentBytes: number, fields: Partial<ImportItem> = {}): ImportItem => ({
  ...{ key: 1, name: 'a.eval', file: new File(['x'.repeat(2048)], 'a.eval'), bytes: null, isCompressed: false },
  ...{ contents: null, found: { format: 'Inspect AI log, version 2' } as Found, choices: {}, state: 'sending' },
  ...{ why: null, isForCommand: false, sentBytes, isKnown: false, stored: [] },
  ...fields,
})
const texts = (sentBytes: number, fields?: Partial<ImportItem>): string[] =>
  importSteps(item(sentBytes, fields), 100).map(({ name, detail, state }) => `${name}, ${detail}: ${state}`)

describe('the steps of an import', () => {
  it('are sent first, then read and recorded', () => {
    expect(texts(512)).toEqual([
      'Recognised, Inspect AI log, version 2: done',
      'Sending, 512 B of 2.0 KiB: now',
      'Recorded, 100 cases: later',
    ])
    // The bytes of a request are more than those of its file.
    for (const sent of [2048, 2100])
      expect(texts(sent)).toEqual([
        'Recognised, Inspect AI log, version 2: done',
        'Sent, 2.0 KiB: done',
        'Reading and recording, 100 cases: now',
      ])
  })

  it('name the version of a run document', () => {
    const contents = { schema_version: 3 } as ImportItem['contents']
    expect(texts(0, { found: null, contents })[0]).toBe('Recognised, Run document, version 3: done')
  })
})
