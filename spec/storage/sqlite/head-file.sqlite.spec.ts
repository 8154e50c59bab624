import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HeadFileUnreadable, openHeadFile, readHeadFile, shortfall } from '../../../storage/sqlite/head-file.ts'
import type { Head } from '../../../storage/storage.ts'
import { freshFolder } from '../../support/stores/store.ts'

const headOf = (size: number): Head => ({ size, root: Buffer.alloc(32, size % 251), recorded_at: 0 })
const noteOf = (size: number) => ({ size, root: Buffer.alloc(32, size % 251).toString('hex') })

let folder: ReturnType<typeof freshFolder>
let file: string
beforeEach(() => {
  folder = freshFolder()
  file = join(folder.dir, 'head')
})
afterEach(() => folder.remove())

const failures: unknown[] = []
const open = (write?: (descriptor: number, bytes: Buffer, position: number) => number) =>
  openHeadFile(file, { onFailure: (error) => void failures.push(error), ...(write ? { write } : {}) })

describe('the head file', () => {
  it('returns the last noted head, in this process and the next', () => {
    const first = open()
    for (const size of [0, 1, 5, 6]) {
      first.note(headOf(size))
      expect(readHeadFile(file)).toEqual(noteOf(size))
    }
    first.close()
    const second = open()
    expect(readHeadFile(file)).toEqual(noteOf(6))
    second.note(headOf(7))
    second.close()
    expect(readHeadFile(file)).toEqual(noteOf(7))
    expect(readFileSync(file)).toHaveLength(8192)
  })

  it('does not exist before the first note; an empty file has no head', () => {
    const head = open()
    expect(existsSync(file)).toBe(false)
    expect(readHeadFile(file)).toBeNull()
    writeFileSync(file, '')
    expect(readHeadFile(file)).toBeNull()
    head.note(headOf(3))
    expect(readHeadFile(file)).toEqual(noteOf(3))
    head.close()
  })

  it('returns the last or the previous head if the last write was torn anywhere', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 145 }), fc.integer({ min: 0, max: 5 }), (bytes, more) => {
        rmSync(file, { force: true })
        const whole = open()
        for (let size = 1; size <= more + 1; size++) whole.note(headOf(size))
        whole.close()
        const previousBytes = readFileSync(file)
        const next = open()
        next.note(headOf(more + 2))
        next.close()
        const newBytes = readFileSync(file)
        const position = newBytes.findIndex((byte, i) => byte !== previousBytes[i])
        const slot = position - (position % 4096)
        writeFileSync(file, Buffer.concat([newBytes.subarray(0, slot + bytes), previousBytes.subarray(slot + bytes)]))
        expect([noteOf(more + 1), noteOf(more + 2)]).toContainEqual(readHeadFile(file))
      }),
    ))

  it('is unreadable with any other content, and the error says what to do', () => {
    for (const garbage of ['x', '\0'.repeat(8192), `000000000000006:${'a'.repeat(64)} ${'b'.repeat(64)}\n`]) {
      writeFileSync(file, garbage)
      expect(() => readHeadFile(file)).toThrow(HeadFileUnreadable)
      expect(() => readHeadFile(file)).toThrow(`${file} cannot be read`)
      expect(() => readHeadFile(file)).toThrow('delete it')
    }
  })

  it('reports a failure once, keeps the intact slot, and tries again at each note', () => {
    failures.length = 0
    let full = false
    const positions: number[] = []
    const head = open((_, bytes, position) => {
      positions.push(position)
      if (full) throw new Error('ENOSPC')
      return bytes.length
    })
    head.note(headOf(1))
    full = true
    for (const size of [2, 3, 4]) head.note(headOf(size))
    expect(failures.map(String)).toEqual(['Error: ENOSPC'])
    full = false
    head.note(headOf(5))
    full = true
    head.note(headOf(6))
    expect(failures).toHaveLength(2)
    expect(positions).toEqual([4096, 0, 0, 0, 0, 4096])
    head.close()
  })

  it('treats a partial write as a failure', () => {
    failures.length = 0
    const head = open(() => 10)
    head.note(headOf(1))
    expect(String(failures[0])).toMatch(/only 10 of \d+ bytes were written/)
    head.close()
  })

  it('reports the failure, but does not throw, if its folder is missing', () => {
    failures.length = 0
    const head = openHeadFile(join(folder.dir, 'gone', 'head'), { onFailure: (error) => void failures.push(error) })
    head.note(headOf(1))
    expect(failures).toHaveLength(1)
    head.close()
  })
})

it.each([
  [noteOf(6), noteOf(6), null],
  [noteOf(7), noteOf(6), null],
  [noteOf(5), noteOf(6), 'the log holds 5 records, yet it held 6'],
  [{ size: 6, root: 'aa' }, { size: 6, root: 'bb' }, 'they are not the same: its root is aa and was bb'],
])('a log compared with a noted head %j compared with %j', (log, noted, expected) =>
  expected === null ? expect(shortfall(log, noted)).toBeNull() : expect(shortfall(log, noted)).toContain(expected),
)
