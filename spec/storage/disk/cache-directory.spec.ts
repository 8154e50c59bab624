import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalCache, boundedTime } from '../../../storage/disk/cache-directory.ts'

const hex = (n: number): string => n.toString(16).padStart(2, '0').repeat(32)
const key = (n: number): string => `sha256:${hex(n)}`
const fileOf = (root: string, n: number): string => join(root, hex(n).slice(0, 2), `${hex(n)}.json`)

let base: string
let root: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'ers-local-cache-'))
  root = join(base, 'cache')
  mkdirSync(root)
})
afterEach(() => rmSync(base, { recursive: true }))

/** Writes entry n, modified `seconds` after the epoch. */
const put = (n: number, text: string, seconds = n): string => {
  const file = fileOf(root, n)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  utimesSync(file, seconds, seconds)
  return file
}

const setUp = async ({ maxFiles = 100, maxBytes = 1000, directory = root } = {}) => {
  const described: string[] = []
  const time = { ms: 0 }
  const cache = await openLocalCache({
    directory,
    maxFiles,
    maxBytes,
    describe: (bytes) => {
      described.push(Buffer.from(bytes).toString())
      return described.at(-1)
    },
    clock: () => time.ms,
  })
  return { cache, described, time, keys: async () => (await cache.snapshot()).entries.map((entry) => entry.key) }
}

describe('openLocalCache', () => {
  it('lists the entries of a directory, newest first', async () => {
    put(1, 'one')
    put(2, 'four')
    const { cache } = await setUp()
    expect(await cache.snapshot()).toEqual({
      entries: [
        { key: key(2), size: 4, modified_at: 2000, metadata: 'four' },
        { key: key(1), size: 3, modified_at: 1000, metadata: 'one' },
      ],
      truncated: false,
    })
  })

  it('reads the bytes of an entry', async () => {
    put(1, 'one')
    const { cache } = await setUp()
    expect(await cache.read(key(1))).toEqual({ bytes: Buffer.from('one'), modified_at: 1000 })
    expect(await cache.read(key(2))).toBeNull()
  })

  it('leaves out the oldest files beyond the scan limit, and reports it', async () => {
    for (let n = 1; n <= 20; n++) put(n, String(n))
    const { cache, described } = await setUp({ maxFiles: 3 })
    const { entries, truncated } = await cache.snapshot()
    expect(entries.map(({ modified_at }) => modified_at)).toEqual([20_000, 19_000, 18_000])
    expect(truncated).toBe(true)
    expect(described).toHaveLength(3)
  })

  it('does not report truncation for exactly as many files as the limit', async () => {
    for (let n = 1; n <= 3; n++) put(n, String(n))
    const { cache } = await setUp({ maxFiles: 3 })
    expect((await cache.snapshot()).truncated).toBe(false)
  })

  it('ignores files with other names', async () => {
    const file = put(1, 'one')
    for (const name of [
      `${hex(1)}.tmp-1-1`,
      `${hex(2)}.json`,
      `${hex(1)}.json.bak`,
      'README.md',
      `${hex(1).toUpperCase().replace('01', '0A')}.json`,
    ])
      writeFileSync(join(dirname(file), name), 'x')
    writeFileSync(join(root, `${hex(1)}.json`), 'x')
    mkdirSync(join(root, 'zz'))
    writeFileSync(join(root, 'zz', `${hex(1)}.json`), 'x')
    expect(await (await setUp()).keys()).toEqual([key(1)])
  })

  it('follows no link to a file or folder', async () => {
    writeFileSync(join(base, 'secret.json'), 'secret')
    mkdirSync(join(root, '01'))
    symlinkSync(join(base, 'secret.json'), fileOf(root, 1))
    mkdirSync(join(base, 'elsewhere'))
    writeFileSync(join(base, 'elsewhere', `${hex(2)}.json`), 'elsewhere')
    symlinkSync(join(base, 'elsewhere'), join(root, '02'))
    const { cache, keys } = await setUp()
    expect(await keys()).toEqual([])
    expect(await cache.read(key(1))).toBeNull()
    expect(await cache.read(key(2))).toBeNull()
  })

  it('accepts a directory that is a link itself', async () => {
    put(1, 'one')
    symlinkSync(root, join(base, 'link'))
    const { cache, keys } = await setUp({ directory: join(base, 'link') })
    expect(await keys()).toEqual([key(1)])
    expect(await cache.read(key(1))).not.toBeNull()
  })

  it('does not block on a pipe, and ignores a folder with an entry’s name', async () => {
    mkdirSync(join(root, '01'))
    execFileSync('mkfifo', [fileOf(root, 1)])
    mkdirSync(fileOf(root, 2), { recursive: true })
    const { cache, keys } = await setUp()
    expect(await keys()).toEqual([])
    expect(await cache.read(key(1))).toBeNull()
    expect(await cache.read(key(2))).toBeNull()
  })

  it.each(['sha256:../../../../etc/passwd', `sha256:${hex(1)}/../../x`, '', 'sha256:'])(
    'reads nothing for %j, which is not a key',
    async (text) => {
      expect(await (await setUp()).cache.read(text)).toBeNull()
    },
  )

  it('lists a file over the size limit without metadata', async () => {
    put(1, 'x'.repeat(11))
    const { cache } = await setUp({ maxBytes: 10 })
    expect((await cache.snapshot()).entries).toEqual([{ key: key(1), size: 11, modified_at: 1000, metadata: null }])
    expect(await cache.read(key(1))).toBeNull()
  })

  it('scans again after half a minute, and reads only changed files', async () => {
    put(1, 'one')
    put(2, 'two')
    const { described, time, keys } = await setUp()
    await keys()
    put(2, 'TWO', 9)
    put(3, 'three')
    rmSync(fileOf(root, 1))
    time.ms = 29_999
    expect(await keys()).toEqual([key(2), key(1)])
    time.ms = 30_000
    expect(await keys()).toEqual([key(2), key(3)])
    expect(described.sort()).toEqual(['TWO', 'one', 'three', 'two'])
  })

  it('scans once for concurrent callers', async () => {
    put(1, 'one')
    const { cache, described } = await setUp()
    const [first, second] = await Promise.all([cache.snapshot(), cache.snapshot()])
    expect(first).toBe(second)
    expect(described).toHaveLength(1)
  })

  it('is empty while its directory is missing', async () => {
    put(1, 'one')
    const { time, keys } = await setUp()
    renameSync(root, `${root}-away`)
    expect(await keys()).toEqual([])
    renameSync(`${root}-away`, root)
    time.ms = 30_000
    expect(await keys()).toEqual([key(1)])
  })

  it('rejects a path that is no directory', async () => {
    await expect(setUp({ directory: join(base, 'nowhere') })).rejects.toThrow('ENOENT')
    writeFileSync(join(base, 'file'), '')
    await expect(setUp({ directory: join(base, 'file') })).rejects.toThrow('is not a directory')
  })

  it('limits file times to valid dates', () => {
    for (const [mtime, expected] of [
      [1_777_885_242_250.7, '2026-05-04T09:00:42.250Z'],
      [9_999_999_999_999_000, '9999-12-31T23:59:59.999Z'],
      [-9e18, '0000-01-01T00:00:00.000Z'],
    ] as const) {
      expect(new Date(boundedTime(mtime)).toISOString()).toBe(expected)
    }
  })
})
