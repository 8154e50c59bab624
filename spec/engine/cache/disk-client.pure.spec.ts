import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import * as files from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CacheUnavailable } from '../../../engine/cache/client.ts'
import { diskCacheClient, type CacheFiles } from '../../../engine/cache/disk-client.ts'

const HEX = `ab${'0'.repeat(62)}`
const KEY = `sha256:${HEX}`
const bytes = (text: string): Uint8Array => Buffer.from(text)

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'ers-disk-cache-'))))
afterEach(() => rmSync(directory, { recursive: true }))

const client = (more: Partial<CacheFiles> = {}, writer = '7') =>
  diskCacheClient({ directory, files: { ...files, ...more }, writer })
const codeError = (code: string): Error => Object.assign(new Error(code), { code })

describe('diskCacheClient', () => {
  it('returns the stored bytes unchanged', async () => {
    const allBytes = Uint8Array.from({ length: 256 }, (_, i) => i)
    expect(await client().put(KEY, allBytes)).toBe(true)
    expect(new Uint8Array((await client().get(KEY)) ?? [])).toEqual(allBytes)
  })

  it('returns null for a key that was never stored', async () => expect(await client().get(KEY)).toBeNull())

  it('stores an entry in a folder of its first two digits, and nothing else', async () => {
    await client().put(KEY, bytes('one'))
    expect(readdirSync(directory, { recursive: true })).toEqual(['ab', `ab/${HEX}.json`])
  })

  it('keeps the first entry of a key', async () => {
    await client().put(KEY, bytes('first'))
    expect(await client().put(KEY, bytes('second'))).toBe(false)
    expect(readFileSync(join(directory, 'ab', `${HEX}.json`), 'utf8')).toBe('first')
  })

  it('stores the first of many concurrent puts, and every reader gets its bytes', async () => {
    const stored = await Promise.all(
      Array.from({ length: 50 }, (_, i) => client({}, String(i)).put(KEY, bytes(`writer ${i}`))),
    )
    expect(stored.filter(Boolean)).toHaveLength(1)
    expect(Buffer.from((await client().get(KEY)) ?? []).toString()).toBe(`writer ${stored.indexOf(true)}`)
    expect(readdirSync(join(directory, 'ab'))).toEqual([`${HEX}.json`])
  })

  it('renames on a disk without hard links, and keeps the first entry', async () => {
    const withoutLinks = client({ link: async () => Promise.reject(codeError('EPERM')) })
    expect(await withoutLinks.put(KEY, bytes('first'))).toBe(true)
    expect(await withoutLinks.put(KEY, bytes('second'))).toBe(false)
    expect(readFileSync(join(directory, 'ab', `${HEX}.json`), 'utf8')).toBe('first')
    expect(readdirSync(join(directory, 'ab'))).toEqual([`${HEX}.json`])
  })

  it('skips a temporary file left over by a process with the same id', async () => {
    mkdirSync(join(directory, 'ab'))
    writeFileSync(join(directory, 'ab', `${HEX}.tmp-7-1`), 'half')
    expect(await client().put(KEY, bytes('whole'))).toBe(true)
    expect(readFileSync(join(directory, 'ab', `${HEX}.json`), 'utf8')).toBe('whole')
  })

  it('leaves no files behind when the disk is full', async () => {
    const full = client({
      writeFile: async (path) => {
        writeFileSync(path, 'ha')
        throw codeError('ENOSPC')
      },
    })
    await expect(full.put(KEY, bytes('whole'))).rejects.toThrow(CacheUnavailable)
    expect(readdirSync(join(directory, 'ab'))).toEqual([])
    expect(await client().get(KEY)).toBeNull()
  })

  it('reports an entry that cannot be read', async () => {
    mkdirSync(join(directory, 'ab', `${HEX}.json`), { recursive: true })
    await expect(client().get(KEY)).rejects.toThrow(/cannot be read: EISDIR/)
  })

  it.each(['../../etc/passwd', `sha256:${'A'.repeat(64)}`, ''])('rejects %j as a key', async (text) => {
    await expect(client().get(text)).rejects.toThrow(TypeError)
    await expect(client().put(text, bytes(''))).rejects.toThrow(TypeError)
  })
})
