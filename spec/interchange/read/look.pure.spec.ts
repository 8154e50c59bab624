import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { archiveKind } from '../../../interchange/read/magic.ts'
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

  it('is read from a gzip file that is cut off, also within a character', async () => {
    // Letters of two bytes that do not repeat: gzip keeps them byte by byte.
    const letters = Array.from({ length: 2000 }, (_, n) => String.fromCodePoint(0x100 + ((n * 7919) % 1500)))
    const content = Buffer.from(JSON.stringify({ letters: letters.join(''), rows: [] }))
    const packed = gzipSync(content)
    const path = join(folder, 'cut.json.gz')
    const kinds = new Set<string>()
    for (let bytes = packed.length - 1; bytes > packed.length - 60; bytes -= 1) {
      writeFileSync(path, packed.subarray(0, bytes))
      kinds.add((await lookAt(fileOnDisk(path, statSync(path)))).kind)
    }
    expect([...kinds]).toEqual(['json'])
  })

  it('refuses a database inside gzip with what to do', async () => {
    const path = join(folder, 'promptfoo.db.gz')
    writeFileSync(path, gzipSync(Buffer.from(`SQLite format 3\0${'\0'.repeat(100)}`)))
    await expect(lookAt(fileOnDisk(path, statSync(path)))).rejects.toThrow('unpack it with gunzip')
  })

  it.each([
    ['an Excel workbook (.xls)', 'd0cf11e0a1b11ae1'],
    ['an Arrow file', '4152524f57310000'],
    ['a pickle of Python', '80049500'],
    ['packed with Zstandard: unpack it with unzstd', '28b52ffd2400'],
    ['packed with bzip2: unpack it with bunzip2', '425a6839'],
    ['packed with xz', 'fd377a585a0000'],
    ['a PDF document', '255044462d312e37'],
    ['encoded in UTF-16', '61002c006200'],
    ['encoded in UTF-16', '0061002c0062'],
    ['encoded in UTF-16', 'fffe6100'],
    ['a binary file in an unknown format', '6100000000000062'],
    ['damaged or cut-off Parquet file', '5041523100'],
  ])('says of a file that is no text: %s', async (what, hex) => {
    await expect(lookAt(fileInMemory('file', Buffer.from(hex, 'hex')))).rejects.toThrow(what)
  })

  it('says of a tar archive inside gzip what to do', async () => {
    const tar = Buffer.alloc(1024)
    tar.write('results.json')
    tar.write('ustar', 257)
    await expect(lookAt(fileInMemory('logs.tar.gz', gzipSync(tar)))).rejects.toThrow('a tar archive: unpack it')
  })

  it.each([
    [['[Content_Types].xml', 'xl/workbook.xml'], 'an Excel workbook: save its sheet as CSV'],
    [['mimetype', 'content.xml'], 'an OpenDocument file'],
    [['word/document.xml'], 'an Office document'],
    [['results/a.json'], 'a zip archive of an unknown tool, with results/a.json: unpack it'],
  ])('says what an archive is: %j', (names, what) => {
    expect(archiveKind(names)).toContain(what)
  })
})
