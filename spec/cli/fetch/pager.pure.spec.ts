import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Api } from '../../../cli/fetch/api.ts'
import { pageFolder, safeName } from '../../../cli/fetch/folder.ts'
import { fetchList, fetchPages, type List } from '../../../cli/fetch/pager.ts'
import { rowsIn } from '../../../cli/fetch/tool.ts'
import { textAt } from '../../../interchange/read/members.ts'

let path: string
beforeEach(() => void (path = mkdtempSync(join(tmpdir(), 'ers-pager-'))))
afterEach(() => rmSync(path, { recursive: true }))

const LIST: List = {
  name: 'rows',
  request: (cursor) => ({ path: ['rows'], query: { cursor: cursor ?? undefined } }),
  rows: rowsIn('rows'),
  next: (page) => textAt(page, 'next'),
}
const EVENTS = { onPage: () => {} }

type Pages = Readonly<Record<string, { readonly rows: readonly number[]; readonly next?: string } | string>>

/** An API of these pages by their cursor; the first one is `first`. */
const apiOf = (pages: Pages) => {
  const asked: string[] = []
  const api: Api = {
    url: 'http://service',
    read: async ({ query }) => {
      const cursor = (query as { cursor?: string }).cursor ?? 'first'
      asked.push(cursor)
      const page = pages[cursor]
      return Buffer.from(typeof page === 'string' ? page : JSON.stringify(page))
    },
  }
  return { api, asked }
}

const THREE: Pages = { first: { rows: [1], next: 'b' }, b: { rows: [2], next: 'c' }, c: { rows: [3] } }

const read = async (pages: Pages) => {
  const { api, asked } = apiOf(pages)
  const rows: unknown[] = []
  for await (const page of fetchPages(api, pageFolder(path), LIST, EVENTS)) rows.push(...page)
  return { rows, asked }
}

const files = () => readdirSync(path).filter((name) => name.endsWith('.json'))

describe('the pages of a list', () => {
  it('are written as they came, and read from the folder the next time', async () => {
    const body = '{ "rows": [1.50, 2],\n"other": null }'
    expect(await read({ first: body })).toMatchObject({ asked: ['first'] })
    expect(readFileSync(join(path, 'rows-000001.json'), 'utf8')).toBe(body)
    expect(await read({})).toMatchObject({ asked: [], rows: [1.5, 2] })
  })

  it('go on after the last one that is there', async () => {
    await expect(read({ ...THREE, c: 'no JSON' })).rejects.toThrow('rows: the answer is no JSON')
    expect(files()).toEqual(['rows-000001.json', 'rows-000002.json'])
    expect(await read(THREE)).toEqual({ asked: ['c'], rows: [1, 2, 3] })
  })

  it.each([
    ['cut', (content: string) => content.slice(0, -3)],
    ['full of zeros', (content: string) => '\0'.repeat(content.length)],
  ])('are fetched again if the last one is %s', async (_, damage) => {
    await read(THREE)
    const last = join(path, 'rows-000003.json')
    writeFileSync(last, damage(readFileSync(last, 'utf8')))
    expect(await read(THREE)).toEqual({ asked: ['c'], rows: [1, 2, 3] })
  })

  it('begin again if nothing says how far they are, and leave none of an earlier attempt', async () => {
    await read(THREE)
    writeFileSync(join(path, 'fetch-state'), '{"rows":{"pag')
    writeFileSync(join(path, '.rows-000004.json.0123456789ab.part'), '{"ro')
    expect(await read({ first: { rows: [7] } })).toEqual({ asked: ['first'], rows: [7] })
    expect(readdirSync(path).sort()).toEqual(['fetch-state', 'rows-000001.json'])
  })

  it('without rows are not written, but what follows them is read', async () => {
    expect(await read({ first: { rows: [], next: 'b' }, b: { rows: [2], next: 'c' }, c: { rows: [] } })).toMatchObject({
      rows: [2],
    })
    expect(files()).toEqual(['rows-000001.json'])
    expect(await fetchList(apiOf({}).api, pageFolder(path), LIST, EVENTS)).toBe(true)
  })

  it('end with an error that names a cursor that repeats, or a page', async () => {
    const circle = { ...THREE, c: { rows: [3], next: 'b' } }
    await expect(read(circle)).rejects.toThrow('rows: the service repeats the cursor "b"')
    await expect(read(circle)).rejects.toThrow('rows: the service repeats')
    const same = { first: { rows: [1], next: 'b' }, b: { rows: [1], next: 'b' } }
    rmSync(join(path, 'fetch-state'))
    await expect(read(same)).rejects.toThrow('rows: the service repeats the cursor "b"')
  })

  it('end if a service answers every offset with the same page', async () => {
    const offsets: List = { ...LIST, next: (_, rows, cursor) => String(Number(cursor ?? 0) + rows.length) }
    const api: Api = { url: '', read: async () => Buffer.from('{"rows":[1]}') }
    await expect(fetchList(api, pageFolder(path), offsets, EVENTS)).rejects.toThrow('repeats a page at the cursor "2"')
  })

  it('must be pages of this list', () =>
    expect(read({ first: '{"error":"no"}' })).rejects.toThrow('the answer is no page of this list; check --url'))
})

describe('the name of an id in a file system', () => {
  it('is the id itself if that is plain', () => {
    for (const id of ['0a9ea43cdd7f424e9570269f8c5a0f64', 'evalrun_67abd54d', '00000000-0000-4000-8000-0000000000aa'])
      expect(safeName(id)).toBe(id)
  })

  it.each(['..', '.', '', 'a/b', 'a\\b', 'CON', 'con', 'A', 'a\u0000', 'a:b', '~', '-a', '.lists', 'é'.repeat(200)])(
    'is a name of its own for %j',
    (id) => {
      const name = safeName(id)
      expect(name).toMatch(/^x[a-z0-9_-]*~[0-9a-f]{16}$/)
      expect(name.length).toBeLessThanOrEqual(60)
      expect(safeName(name)).not.toBe(name)
    },
  )
})
