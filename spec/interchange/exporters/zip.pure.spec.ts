import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addToMember, closeMember, openMember, zipEnd, zipStart } from '../../../interchange/exporters/zip.ts'
import type { ZipState } from '../../../interchange/exporters/zip.ts'

/** Writes this many members; `handOver` hands the state over after each. */
const archive = (count: number, handOver: (zip: ZipState) => ZipState) => {
  const pieces: Uint8Array[] = []
  let zip = zipStart()
  for (let n = 0; n < count; n++) {
    const content = Buffer.from(`content ${n}`)
    const opened = openMember(zip, `folder/${'long name '.repeat(10)}${n}.txt`)
    const closed = closeMember(addToMember(opened.zip, content))
    pieces.push(opened.bytes, content, closed.bytes)
    zip = handOver(closed.zip)
  }
  return { zip, bytes: Buffer.concat([...pieces, zipEnd(zip)]) }
}

// The sizes alone: the archive has holes where the bytes of its members would be.
it('has the fields of Zip64 for members and offsets of 4 GiB and more, as Python reads them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ers-zip64-'))
  const path = join(folder, 'large.zip')
  const file = openSync(path, 'w')
  const size = 5 * 1024 ** 3
  try {
    let zip = zipStart()
    const put = (bytes: Uint8Array, at: number) => writeSync(file, bytes, 0, bytes.length, at)
    const opened = openMember(zip, 'parts/large', size)
    put(opened.bytes, 0)
    // As if the bytes had been counted one after the other.
    zip = { ...opened.zip, offset: opened.zip.offset + size, open: { ...opened.zip.open!, size, crc: 0xf1e8ba9e } }
    const closed = closeMember(zip)
    put(closed.bytes, zip.offset)
    const small = openMember(closed.zip, 'after it')
    put(small.bytes, closed.zip.offset)
    const content = Buffer.from('the content')
    put(content, small.zip.offset)
    const ended = closeMember(addToMember(small.zip, content))
    put(ended.bytes, ended.zip.offset - ended.bytes.length)
    put(zipEnd(ended.zip), ended.zip.offset)
  } finally {
    closeSync(file)
  }
  try {
    const script =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print([(i.filename, i.file_size) for i in z.infolist()], z.read("after it").decode(), z.open("parts/large").read(3))'
    expect(execFileSync('python3', ['-c', script, path], { encoding: 'utf8' })).toBe(
      `[('parts/large', ${size}), ('after it', 11)] the content b'\\x00\\x00\\x00'\n`,
    )
    if (spawnSync('unzip', ['-v']).status === 0)
      expect(execFileSync('unzip', ['-p', path, 'after it'], { encoding: 'utf8' })).toBe('the content')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('keeps its directory in shared memory, so little is copied, and writes the same bytes after each copy', () => {
  const kept = archive(3_000, (zip) => zip)
  const sent = archive(3_000, (zip) => structuredClone(zip))
  expect(sent.bytes.equals(kept.bytes)).toBe(true)
  // JSON writes shared memory as `{}`, so this text is as long as what a thread has to copy.
  expect(JSON.stringify(sent.zip).length).toBeLessThan(500)
  const end = sent.bytes.subarray(-22)
  expect([end.readUInt32LE(0), end.readUInt16LE(10)]).toEqual([0x06054b50, 3_000])
  const [size, offset] = [end.readUInt32LE(12), end.readUInt32LE(16)]
  expect(offset + size).toBe(sent.bytes.length - 22)
  let at = offset
  for (let n = 0; n < 3_000; n++) {
    expect(sent.bytes.readUInt32LE(at)).toBe(0x02014b50)
    const nameBytes = sent.bytes.readUInt16LE(at + 28)
    expect(sent.bytes.toString('utf8', at + 46, at + 46 + nameBytes)).toMatch(new RegExp(` ${n}\\.txt$`))
    at += 46 + nameBytes
  }
  expect(at).toBe(offset + size)
})
