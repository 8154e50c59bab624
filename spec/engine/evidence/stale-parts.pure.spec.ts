import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removeStaleParts } from '../../../engine/evidence/stale-parts.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-stale-'))))
afterEach(() => rmSync(folder, { recursive: true }))

it('folders of parts that killed processes left are removed after a day', () => {
  const now = Date.UTC(2026, 0, 3)
  const hours = (count: number): Date => new Date(now - count * 3_600_000)
  const make = (name: string, changed: Date, below: Date, manifest = false): void => {
    mkdirSync(join(folder, name, 'parts/ab'), { recursive: true })
    if (manifest) writeFileSync(join(folder, name, 'manifest-0.json'), '{}')
    utimesSync(join(folder, name, 'parts/ab'), below, below)
    utimesSync(join(folder, name, 'parts'), changed, changed)
    utimesSync(join(folder, name), changed, changed)
  }
  make('.parts-old', hours(25), hours(25))
  make('.parts-new', hours(23), hours(23))
  make('.parts-long', hours(40), hours(1))
  make('.parts-unstored', hours(40), hours(40), true)
  make('01K2ZQ7C8V4T9E6M3B5N1R0WXA', hours(40), hours(40))
  removeStaleParts(folder, now)
  expect(readdirSync(folder).sort()).toEqual(
    ['.parts-new', '.parts-long', '.parts-unstored', '01K2ZQ7C8V4T9E6M3B5N1R0WXA'].sort(),
  )
  removeStaleParts(join(folder, 'absent'), now)
})
