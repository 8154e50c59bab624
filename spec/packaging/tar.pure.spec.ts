import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { textFile, type PackedFile } from '../../packaging/files.ts'
import { readTarGz, tar, tarGz } from '../../packaging/tar.ts'

const folder = mkdtempSync(join(tmpdir(), 'ers-tar-'))
afterAll(() => rmSync(folder, { recursive: true }))

const SECONDS = 1_700_000_000
const LONG = `${'folder/'.repeat(20)}${'n'.repeat(90)}.txt`
const FILES: readonly PackedFile[] = [
  { ...textFile('a/program', '#!/bin/sh\n'), executable: true },
  textFile('a/empty', ''),
  textFile('a/block', 'x'.repeat(512)),
  textFile(LONG, 'é'),
]

describe('an archive', () => {
  it('is what tar reads: contents, modes and times', () => {
    const file = join(folder, 'archive.tar.gz')
    writeFileSync(file, tarGz(FILES, SECONDS))
    execFileSync('tar', ['-xzf', file, '-C', folder])
    for (const { path, bytes } of FILES) expect(readFileSync(join(folder, path))).toEqual(Buffer.from(bytes))
    const program = statSync(join(folder, 'a/program'))
    expect([program.mode & 0o111, program.mtimeMs]).toEqual([0o111, SECONDS * 1000])
    expect(statSync(join(folder, 'a/empty')).mode & 0o111).toBe(0)
    expect(execFileSync('tar', ['--numeric-owner', '-tvzf', file]).toString()).toMatch(
      /^-rw-r--r-- 0\/0 +512 .*a\/block$/m,
    )
  })

  it('has the same bytes for the same files in any order, and no time but theirs', () => {
    const archive = tarGz(FILES, SECONDS)
    expect(tarGz([...FILES].reverse(), SECONDS)).toEqual(archive)
    expect(Buffer.from(archive.subarray(4, 8))).toEqual(Buffer.alloc(4))
    expect(tar(FILES, SECONDS + 1)).not.toEqual(tar(FILES, SECONDS))
  })

  it('is read again', () =>
    expect([...readTarGz(tarGz(FILES, SECONDS))].map(([path, bytes]) => ({ path, text: bytes.toString() }))).toEqual(
      [...FILES]
        .map(({ path, bytes }) => ({ path, text: Buffer.from(bytes).toString() }))
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    ))

  it('refuses two files of one path, and a path that is too long', () => {
    expect(() => tar([textFile('a', ''), textFile('a', '')], SECONDS)).toThrow('have the path a')
    expect(() => tar([textFile('n'.repeat(101), '')], SECONDS)).toThrow('too long')
  })
})
