import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { KILL_POINTS, killAt } from '../../support/parts/kill-points.ts'

const root = mkdtempSync(join(tmpdir(), 'ers-kills-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

// `npm run soak -- parts` does it at every step many times.
describe('a process that stores large parts', () => {
  it.each(KILL_POINTS)('loses nothing that it acknowledged if it is killed at: %s', async (point) => {
    const { killed, problems } = await killAt(join(root, point), point, 1, 1 + KILL_POINTS.indexOf(point))
    expect({ killed, problems }).toEqual({ killed: true, problems: [] })
  })
})
