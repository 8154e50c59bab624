import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { refuseTooLarge, withReason } from '../../../maintenance/backup/backup.ts'
import { UserError } from '../../../maintenance/user-error.ts'
import { DiskFull } from '../../../storage/errors.ts'

it('a backup is refused before it begins where the disk has no room for it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-room-'))
  expect(() => refuseTooLarge(folder, 1)).not.toThrow()
  expect(() => refuseTooLarge(folder, Number.MAX_SAFE_INTEGER)).toThrow(UserError)
  rmSync(folder, { recursive: true })
})

it.each([
  ['SQLite reports it', new DiskFull()],
  ['the system reports it', Object.assign(new Error('no space left'), { code: 'ENOSPC' })],
])('a disk that is full is named with its folder when %s', async (_, error) => {
  await expect(withReason('/backups', () => Promise.reject(error))).rejects.toThrow('/backups: the disk is full')
})

it('what else goes wrong is not hidden', async () => {
  const error = new Error('something else')
  await expect(withReason('/backups', () => Promise.reject(error))).rejects.toBe(error)
})
