import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { harborJobOf } from '../../../../interchange/importers/atif/harbor.ts'
import { fileOnDisk } from '../../../../interchange/read/source-file.ts'

it('the result of a job is read once for all of its trials, and again when it changed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-harbor-'))
  const job = join(folder, 'result.json')
  const jobOf = (trial: string) => {
    const path = join(folder, trial, 'result.json')
    mkdirSync(join(folder, trial), { recursive: true })
    writeFileSync(path, '{"trial_name": "t"}')
    return harborJobOf(fileOnDisk(path, statSync(path)))
  }
  const time = new Date('2026-03-02T09:00:00Z')
  writeFileSync(job, '{"n_total_trials": 2}')
  utimesSync(job, time, time)
  expect(jobOf('a')).toBe(job)
  // Another content of the same size and time is what a second read would find.
  writeFileSync(job, '{"n_other_trials": 2}')
  utimesSync(job, time, time)
  expect(jobOf('b')).toBe(job)
  utimesSync(job, time, new Date('2026-03-02T09:00:01Z'))
  expect(jobOf('c')).toBeNull()
  rmSync(folder, { recursive: true })
})
