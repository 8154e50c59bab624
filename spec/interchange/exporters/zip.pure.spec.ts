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
