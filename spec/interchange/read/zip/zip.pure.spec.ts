import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { fileInMemory, fileOnDisk, type SourceFile } from '../../../../interchange/read/source-file.ts'
import { openZip, zipEntryNames } from '../../../../interchange/read/zip/zip.ts'
import { makeZip, type MadeMember } from '../../../support/interchange/make-zip.ts'

afterAll(() => rmSync(folder, { recursive: true }))

const onDisk = (content: Uint8Array, name = 'a.zip'): SourceFile => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return fileOnDisk(path, statSync(path))
}

const made = (...members: readonly MadeMember[]) => fileInMemory('a.zip', makeZip(members))

/** The content of the only member, read in both ways. */
const contentOf = async (file: SourceFile): Promise<Buffer> => {
  using zip = await openZip(file)
  const [member] = zip.members.values()
  const whole = await zip.read(member!)
  const parts: Uint8Array[] = []
  for await (const part of zip.stream(member!)) parts.push(Buffer.from(part))
  expect(Buffer.concat(parts).equals(whole)).toBe(true)
  return whole
}

/** Text with little repetition, which packs about 2:1. */
const TEXT = randomBytes(300_000).toString('hex')
const folder = mkdtempSync(join(tmpdir(), 'zip-'))

describe('an archive', () => {
  it.each([
    ['stored', 0, 1],
    ['deflate', 8, 1],
    ['Zstandard', 93, 1],
    ['several frames of Zstandard', 93, 5],
  ])('gives members that are packed with %s', async (_, method, frames) => {
    const content = { name: 'a.json', content: TEXT, method, frames }
    expect((await contentOf(made(content))).toString()).toBe(TEXT)
    expect((await contentOf(onDisk(makeZip([content])))).toString()).toBe(TEXT)
  })

  it('gives large members of several frames in parts', async () => {
    const content = randomBytes(6_000_000)
    expect((await contentOf(onDisk(makeZip([{ name: 'a', content, method: 93, frames: 3 }])))).equals(content)).toBe(
      true,
    )
    expect((await contentOf(onDisk(makeZip([{ name: 'a', content, method: 8 }])))).equals(content)).toBe(true)
  })

  it('reads no more than a header to say where a member begins', async () => {
    const file = onDisk(makeZip(['a', 'b'].map((name) => ({ name, content: randomBytes(400_000), method: 0 }))))
    const lengths: number[] = []
    const readAt: typeof file.readAt = (offset, length) => {
      lengths.push(length)
      return file.readAt(offset, length)
    }
    using zip = await openZip({ ...file, readAt })
    lengths.length = 0
    for (const member of zip.members.values()) expect(await zip.storedAt(member)).toBeGreaterThan(0)
    expect(Math.max(0, ...lengths)).toBeLessThan(1000)
  })

  it('gives empty members', async () => {
    for (const method of [0, 8, 93]) expect((await contentOf(made({ name: 'a', content: '', method }))).length).toBe(0)
  })

  it('has the last member of a name', async () => {
    const file = made({ name: 'a', content: 'first' }, { name: 'b', content: 'b' }, { name: 'a', content: 'last' })
    using zip = await openZip(file)
    expect([...zip.members.keys()]).toEqual(['a', 'b'])
    expect((await zip.read(zip.members.get('a')!)).toString()).toBe('last')
  })

  it('keeps a backslash in a name apart from a slash, and passes over folders', async () => {
    expect(
      await zipEntryNames(
        made({ name: 'a\\b', content: '' }, { name: 'a/', content: '' }, { name: 'a/b', content: '' }),
      ),
    ).toEqual(['a\\b', 'a/b'])
  })

  it('is read inside gzip, on disk and in memory', async () => {
    const packed = gzipSync(makeZip([{ name: 'a', content: TEXT }]))
    expect((await contentOf(onDisk(packed, 'a.zip.gz'))).toString()).toBe(TEXT)
    expect((await contentOf(fileInMemory('a.zip.gz', packed))).toString()).toBe(TEXT)
  })
})

describe('a hostile archive', () => {
  it.each([
    ['a name above its folder', { name: '../a', content: '' }, /leads out of its folder: "\.\.\/a"/],
    ['a name above its folder, with backslashes', { name: 'a\\..\\..\\b', content: '' }, /leads out/],
    ['an absolute name', { name: '/etc/passwd', content: '' }, /leads out/],
    ['a name on a drive', { name: 'C:/a', content: '' }, /leads out/],
    ['a link', { name: 'a', content: '/etc/passwd', mode: 0o120777 }, /holds a link or a device: "a"/],
    ['a device', { name: 'a', content: '', mode: 0o020666 }, /holds a link or a device/],
    ['an encrypted member', { name: 'a', content: 'x', method: 8, flags: 0x801 }, /is encrypted: "a"/],
    ['a strongly encrypted member', { name: 'a', content: 'x', flags: 0x841 }, /encrypt/],
  ])('is refused for %s', async (_, member, reason) => {
    await expect(openZip(made(member))).rejects.toThrow(reason)
  })

  it.each([
    [
      'another length',
      { says: { size: 5 } },
      /longer than its directory says|its directory says 5 bytes|size mismatch/,
    ],
    ['another CRC-32', { says: { crc32: 7 } }, /its CRC-32 is another one/],
    ['another name in front of its data', { localName: 'b.json' }, /its local header has another name/],
    ['an unknown method', { method: 99 }, /packed with method 99/],
    ['a size beyond the limit', { says: { size: 600 * 1024 * 1024 } }, /larger than 536870912 bytes|size mismatch/],
  ])('is refused for %s', async (_, change, reason) => {
    for (const method of [0, 8, 93]) {
      const file = made({ name: 'a.json', content: 'a'.repeat(10), method, ...change })
      await expect(contentOf(file)).rejects.toThrow(reason)
    }
  })

  it('is refused for a member of more than 1,000 times its packed size', async () => {
    for (const method of [8, 93]) {
      using zip = await openZip(made({ name: 'bomb', content: Buffer.alloc(20_000_000), method }))
      const [member] = zip.members.values()
      await expect(zip.read(member!)).rejects.toThrow(/unpacks to more than 1000 times its packed size/)
      await expect(Array.fromAsync(zip.stream(member!))).rejects.toThrow(/1000 times/)
    }
  })

  it('never unpacks more than the directory says', async () => {
    for (const method of [8, 93]) {
      const content = randomBytes(5_000_000)
      using zip = await openZip(made({ name: 'a', content, method, says: { size: 4_999_999 } }))
      const [member] = zip.members.values()
      let length = 0
      await expect(
        (async () => {
          for await (const part of zip.stream(member!)) length += part.length
        })(),
      ).rejects.toThrow(/damaged/)
      expect(length).toBeLessThanOrEqual(4_999_999)
    }
  })

  it('is refused for more than 200,000 entries, before they are read', async () => {
    const record = Buffer.alloc(56)
    record.writeUInt32LE(0x06064b50, 0)
    record.writeBigUInt64LE(200_001n, 32)
    const locator = Buffer.alloc(20)
    locator.writeUInt32LE(0x07064b50, 0)
    const file = fileInMemory('a.zip', Buffer.concat([record, locator, makeZip([])]))
    await expect(openZip(file)).rejects.toThrow('has more than 200000 entries')
  })

  it('is refused for members that share bytes', async () => {
    const file = made(
      { name: 'a', content: 'x'.repeat(1000) },
      { name: 'b', content: 'y', localName: 'a', says: { offset: 0 } },
    )
    await expect(openZip(file)).rejects.toThrow(/members that overlap/)
  })

  it('is refused for damaged data', async () => {
    for (const method of [8, 93]) {
      const bytes = makeZip([{ name: 'a', content: TEXT, method }])
      bytes.fill(0xff, 100, 200)
      using zip = await openZip(fileInMemory('a.zip', bytes))
      const [member] = zip.members.values()
      await expect(zip.read(member!)).rejects.toThrow(/"a" is (damaged|longer than its directory says)/)
    }
  })

  it('is refused after any byte', async () => {
    const bytes = makeZip([
      { name: 'a', content: TEXT, method: 93 },
      { name: 'b', content: 'b' },
    ])
    for (let length = 4; length < bytes.length; length += 4_999)
      await expect(openZip(fileInMemory('a.zip', bytes.subarray(0, length)))).rejects.toThrow(/damaged or cut-off/)
  })

  it('in memory has a limit of unpacked bytes, however often a member is read', async () => {
    const content = Buffer.alloc(10_000, 'a')
    const file = fileInMemory('a.zip', makeZip([{ name: 'a', content }]), { maxUnpackedBytes: 25_000 })
    using zip = await openZip(file)
    const member = zip.members.get('a')!
    await zip.read(member)
    for await (const _ of zip.stream(member));
    expect(() => zip.read(member)).toThrow('unpacks to more than 25000 bytes: use the command ers import')
    // A file on disk has none.
    expect(onDisk(makeZip([{ name: 'a', content }]), 'limit.zip').countUnpacked).toBeUndefined()
  })
})
