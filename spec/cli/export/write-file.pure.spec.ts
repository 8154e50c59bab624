import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WrongLength, exportFileName, writeWhole } from '../../../cli/export/write-file.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-export-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const signal = new AbortController().signal
const bodyOf = async function* (...parts: Array<string | Error>) {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield Buffer.from(part)
  }
}

describe('exportFileName', () => {
  it('is the escaped id', () => {
    expect(exportFileName('01K2ZQ', false)).toBe('01K2ZQ.json')
    expect(exportFileName('a/b é', true)).toBe('a%2Fb%20%C3%A9.json.gz')
  })

  it('stays in its folder, is never hidden and fits a file system', () => {
    const id = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.constantFrom('.', '..', '../x', '/etc/passwd', '.hidden', 'é'.repeat(200)),
    )
    fc.assert(
      fc.property(id, fc.boolean(), (runId, gzip) => {
        const name = exportFileName(runId, gzip)
        expect(basename(join(folder, name))).toBe(name)
        expect(name.startsWith('.') && runId !== '').toBe(false)
        expect(Buffer.byteLength(name)).toBeLessThan(220)
      }),
    )
  })

  it('is different for different ids', () => {
    const id = fc.oneof(
      fc.string({ maxLength: 5 }),
      fc.string({ minLength: 1, maxLength: 3 }).map((end) => 'x'.repeat(250) + end),
    )
    fc.assert(
      fc.property(id, id, (a, b) => {
        expect(exportFileName(a, false) === exportFileName(b, false)).toBe(a === b)
      }),
    )
  })
})

describe('writeWhole', () => {
  it('writes the whole body', async () => {
    await writeWhole(bodyOf('{"a":', '1}'), join(folder, 'a.json'), { gzip: false, length: 7, signal })
    expect(readdirSync(folder)).toEqual(['a.json'])
    expect(readFileSync(join(folder, 'a.json'), 'utf8')).toBe('{"a":1}')
  })

  it('compresses on request; the expected length is that of the uncompressed body', async () => {
    await writeWhole(bodyOf('{"a":1}'), join(folder, 'a.json.gz'), { gzip: true, length: 7, signal })
    expect(gunzipSync(readFileSync(join(folder, 'a.json.gz'))).toString()).toBe('{"a":1}')
  })

  it('writes nothing of an interrupted body and keeps the old file', async () => {
    const path = join(folder, 'a.json')
    await writeWhole(bodyOf('old'), path, { gzip: false, length: null, signal })
    await expect(
      writeWhole(bodyOf('{"a":', new Error('reset')), path, { gzip: false, length: null, signal }),
    ).rejects.toThrow('reset')
    await expect(writeWhole(bodyOf('{"a":'), path, { gzip: false, length: 7, signal })).rejects.toThrow(WrongLength)
    await expect(writeWhole(bodyOf('{"a":'), path, { gzip: true, length: 3, signal })).rejects.toThrow(WrongLength)
    await expect(
      writeWhole(bodyOf('new'), path, { gzip: false, length: null, signal: AbortSignal.abort() }),
    ).rejects.toThrow()
    expect(readdirSync(folder)).toEqual(['a.json'])
    expect(readFileSync(path, 'utf8')).toBe('old')
  })
})
