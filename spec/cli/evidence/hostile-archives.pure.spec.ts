import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { exportedRunsIn } from '../../../cli/evidence/exported-files.ts'
import { readStored } from '../../../cli/evidence/stored-bytes.ts'
import { zippedFolder } from '../../../cli/evidence/zip-folder.ts'
import { UserError } from '../../../maintenance/user-error.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-hostile-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** The end of an archive that says how many members it has. */
const emptyZip = (entries: number): Buffer => {
  const end = Buffer.alloc(98)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(45, 12)
  end.writeUInt16LE(45, 14)
  end.writeBigUInt64LE(BigInt(entries), 24)
  end.writeBigUInt64LE(BigInt(entries), 32)
  end.writeUInt32LE(0x07064b50, 56)
  end.writeUInt32LE(1, 72)
  end.writeUInt32LE(0x06054b50, 76)
  end.fill(0xff, 84, 96)
  return end
}

it('a size that an archive only says allocates nothing', async () => {
  const path = join(folder, 'a.zip')
  writeFileSync(path, 'short')
  for (const bytes of [64 * 1024 * 1024 + 1, 2 ** 45])
    await expect(readStored({ path, offset: 0, bytes })).rejects.toThrow(UserError)
  await expect(readStored({ path, offset: 0, bytes: 101 }, 100)).rejects.toThrow('at most 100 are read')
})

it('an archive of more files than are read back is not written, and is named where it is imported', async () => {
  const names = Array.from({ length: 200_001 }, () => 'absent')
  await expect(zippedFolder(folder, names).next()).rejects.toThrow('cannot be imported: use --out-dir')
  const path = join(folder, 'many.zip')
  writeFileSync(path, emptyZip(200_001))
  await expect(exportedRunsIn(path)).rejects.toThrow('has more than 200000 entries: unzip it into a folder')
  // Any other archive is for the importers.
  writeFileSync(path, 'no archive')
  expect(await exportedRunsIn(path)).toEqual([])
})
