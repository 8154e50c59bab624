import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HeadFileUnreadable, openHeadFile, readHeadFile, shortfall } from '../../../storage/sqlite/head-file.ts'
import type { Head } from '../../../storage/storage.ts'
import { freshFolder } from '../../support/stores/store.ts'

const headOf = (size: number): Head => ({ size, root: Buffer.alloc(32, size % 251), recorded_at: 0 })
const noted = (size: number) => ({ size, root: Buffer.alloc(32, size % 251).toString('hex') })

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
      expect(readHeadFile(file)).toEqual(noted(size))
    }
    first.close()
    const second = open()
    expect(readHeadFile(file)).toEqual(noted(6))
    second.note(headOf(7))
    second.close()
    expect(readHeadFile(file)).toEqual(noted(7))
    expect(readFileSync(file)).toHaveLength(8192)
  })

  it('is missing before the first note; an empty one has no head', () => {
    const head = open()
    expect(existsSync(file)).toBe(false)
    expect(readHeadFile(file)).toBeNull()
    writeFileSync(file, '')
    expect(readHeadFile(file)).toBeNull()
    head.note(headOf(3))
    expect(readHeadFile(file)).toEqual(noted(3))
    head.close()
  })

  it('returns the previous head if the last write was torn anywhere', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 145 }), fc.integer({ min: 0, max: 5 }), (bytes, more) => {
        rmSync(file, { force: true })
        const whole = open()
        for (let size = 1; size <= more + 1; size++) whole.note(headOf(size))
        whole.close()
        const before = readFileSync(file)
        const next = open()
        next.note(headOf(more + 2))
        next.close()
        const after = readFileSync(file)
        const at = after.findIndex((byte, i) => byte !== before[i])
        const slot = at - (at % 4096)
        writeFileSync(file, Buffer.concat([after.subarray(0, slot + bytes), before.subarray(slot + bytes)]))
        expect([noted(more + 1), noted(more + 2)]).toContainEqual(readHeadFile(file))
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
    expect(String(failures[0])).toContain('took only 10 of')
    head.close()
  })

  it('in a missing folder stops nothing', () => {
    failures.length = 0
    const head = openHeadFile(join(folder.dir, 'gone', 'head'), { onFailure: (error) => void failures.push(error) })
    head.note(headOf(1))
    expect(failures).toHaveLength(1)
    head.close()
  })
})

describe('a log compared with a noted head', () => {
  it.each([
    [noted(6), noted(6), null],
    [noted(7), noted(6), null],
    [noted(5), noted(6), 'the log holds 5 records, yet it held 6'],
    [{ size: 6, root: 'aa' }, { size: 6, root: 'bb' }, 'they are not the same: its root is aa and was bb'],
  ])('%j compared with %j', (log, before, told) =>
    told === null ? expect(shortfall(log, before)).toBeNull() : expect(shortfall(log, before)).toContain(told),
  )
})
