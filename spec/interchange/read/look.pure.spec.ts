import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { lookAt } from '../../../interchange/read/look.ts'
import { fileInMemory, fileOnDisk } from '../../../interchange/read/source-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'ers-look-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the beginning of a file', () => {
  it('is that of JSON lines if its first line is longer than 64 KiB and its name says so', async () => {
    const line = JSON.stringify({ a: 1, b: 'x'.repeat(100_000) })
    const look = await lookAt(fileInMemory('rows.jsonl', Buffer.from(`${line}\n${line}\n`)))
    expect([look.kind, [...look.keys]]).toEqual(['lines', ['a']])
    expect((await lookAt(fileInMemory('rows.json', Buffer.from(line)))).kind).toBe('json')
    expect((await lookAt(fileInMemory('rows.jsonl', Buffer.from(`{\n${line.slice(1)}`)))).kind).toBe('json')
  })

  it('refuses a database inside gzip with what to do', async () => {
    const path = join(folder, 'promptfoo.db.gz')
    writeFileSync(path, gzipSync(Buffer.from(`SQLite format 3\0${'\0'.repeat(100)}`)))
    await expect(lookAt(fileOnDisk(path, statSync(path)))).rejects.toThrow('unpack it with gunzip')
  })
})
