import { afterAll, describe, expect, it } from 'vitest'
import { setKey } from '../../../domain/sets.ts'
import {
  MAX_COMMENTS_READ,
  searchComments,
  walkComments,
  type CommentSearch,
} from '../../../queries/search/comment-search.ts'
import type { Comment } from '../../../queries/runs/comments.ts'
import { json } from '../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { queryPlan } from '../../support/stores/query-plan.ts'
import { openApp, type Send } from '../../support/servers/app.ts'

const spec = await openApp()
afterAll(() => spec.close())
const [write, admin] = [spec.sendAs('write'), spec.sendAs('admin')]
const KEY = aCase().case_key

const upload = async (run_id: string, project: string, suite = 'nightly'): Promise<void> => {
  const uploaded = aDocument({ run_id, project, suite, origin: { note: `note of ${run_id}` }, cases: [aCase()] })
  expect((await spec.ingest(uploaded, { caller: 'admin' })).statusCode).toBe(201)
}
const comment = async (run_id: string, text: string, case_key: string | null = null): Promise<string> => {
  const answer = await admin('POST', `/runs/${run_id}/comments`, {
    headers: json,
    body: JSON.stringify({ text, case_key }),
  })
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json<Comment>().id
}
const search = async (query: string, send: Send = write): Promise<CommentSearch> => {
  const answer = await send('GET', `/search/comments?${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<CommentSearch>()
}
const ids = async (query: string, send: Send = write): Promise<string[]> =>
  (await search(query, send)).comments.map(({ id }) => id)

describe('a search for comments', () => {
  it('finds comments on runs and on cases, the newest first, with where they are and who wrote them', async () => {
    await upload('talked', 'talk')
    const onRun = await comment('talked', 'The judge was too strict with walruses.')
    const onCase = await comment('talked', 'Walrus again, the same mistake', KEY)
    expect(await search('q=walrus')).toEqual({
      comments: [
        {
          id: onCase,
          run_id: 'talked',
          run_note: 'note of talked',
          project: 'talk',
          suite: 'nightly',
          case_key: KEY,
          case_name: aCase().cell.test_id,
          snippet: '\ue000Walrus\ue001 again, the same mistake',
          at: expect.any(String) as string,
          by: 'admin',
        },
        expect.objectContaining({ id: onRun, case_key: null, case_name: null }),
      ],
      next_cursor: null,
    })
  })

  it('compares words as the index does: all of them, by their beginnings, without accents, and some text at any place', async () => {
    await upload('rules', 'rules')
    const text = await comment('rules', 'Crème brûlée in 东京, see error-404 of build a1b2c3d4, fixed in C++')
    for (const q of ['creme', 'BRUL', 'creme 东京', '京', 'error-404', 'error-4', 'b2c3', 'C++', '"fixed"'])
      expect(await ids(`project=rules&q=${encodeURIComponent(q)}`), q).toEqual([text])
    for (const q of ['reme', 'creme walrus', 'error-405', '404-error', 'D++', '', '+', '京东'])
      expect(await ids(`project=rules&q=${encodeURIComponent(q)}`), q).toEqual([])
  })

  it('applies filters, and reads page by page', async () => {
    await upload('paged', 'pages')
    await upload('other', 'pages', 'weekly')
    const made: string[] = []
    for (const text of ['otter 1', 'nothing', 'otter 2', 'otter 3']) made.push(await comment('paged', text))
    const elsewhere = await comment('other', 'otter 4')
    const [first, , second, third] = made
    expect(await ids('q=otter')).toEqual([elsewhere, third, second, first])
    expect(await ids('q=otter&suite=weekly')).toEqual([elsewhere])
    expect(await ids('q=otter&project=none')).toEqual([])
    const page = await search('q=otter&limit=2&suite=nightly')
    expect(page.comments.map(({ id }) => id)).toEqual([third, second])
    expect(await ids(`q=otter&suite=nightly&cursor=${page.next_cursor}`)).toEqual([first])
    expect(await ids('q=otter&cursor=junk')).toEqual([elsewhere, third, second, first])
  })

  it('has no comment on a hidden run, and such comments change no byte', async () => {
    const viewer = await spec.addUser('searcher')
    await spec.restrict('secret')
    await upload('seen', 'open')
    await upload('hidden', 'secret')
    await comment('seen', 'heron')
    const read = async (): Promise<string[]> =>
      Promise.all(
        ['', '&limit=1', '&project=secret'].map(
          async (more) => (await viewer.send('GET', `/search/comments?q=heron${more}`)).body,
        ),
      )
    const before = await read()
    const hidden = await comment('hidden', 'heron heron')
    expect(await read()).toEqual(before)
    expect(await ids('q=heron', admin)).toHaveLength(2)
    await spec.grant('searcher', 'view', 'secret')
    expect(await ids('q=heron&project=secret', viewer.send)).toEqual([hidden])
  })

  it('finds comments on runs in no set, which keys of a set do not see', async () => {
    for (const [run_id, suite] of [
      ['lone', null],
      ['lone-weekly', 'weekly'],
    ] as const)
      await spec.ingest({ ...aDocument({ run_id, suite }), project: null }, { caller: 'admin' })
    const [lone, weekly] = [await comment('lone', 'ibis 1'), await comment('lone-weekly', 'ibis 2')]
    const { send, viewer } = await spec.addUser('bird')
    await spec.restrict('aviary')
    for (const caller of [admin, send]) {
      expect(await ids('q=ibis', caller)).toEqual([weekly, lone])
      expect(await ids('q=ibis&suite=weekly', caller)).toEqual([weekly])
      expect(await ids('q=ibis&project=aviary', caller)).toEqual([])
    }
    const limit = { project: 'aviary', suite: null, all: true }
    const asked = { q: 'ibis', limit: 10 }
    expect((await searchComments(spec.service.reader, { ...viewer, limit }, asked)).comments).toEqual([])
  })

  it('reads the comments of each set that the viewer may see by an index, and none of any other', async () => {
    const { viewer } = await spec.addUser('planner')
    const { token } = walkComments(viewer, { all: false, after: 'x', suite: 'nightly' })
    if (!token) throw new Error('the query reads nothing')
    const plan = await queryPlan({ sql: spec }, token)
    // On SQLite `c` and `run_comments` are read by the ids that `x` found.
    const found = plan.join('\n')
    const reads = plan.filter(
      (line) =>
        /\b(?:run_comments|x|c)\b/.test(line) && /SCAN|SEARCH|Scan/.test(line) && !/restrictions|grants/.test(line),
    )
    const isOfSet = (line: string): boolean =>
      onPostgres
        ? /run_comments_by_set on run_comments x/.test(line)
        : /SEARCH x USING COVERING INDEX run_comments_by_set \(set_key=\? AND comment_id<\?\)/.test(line)
    const isById = (line: string): boolean =>
      onPostgres
        ? /Index Scan using run_comments_pkey on run_comments /.test(line)
        : /SEARCH (?:c|run_comments) USING .*INDEX sqlite_autoindex_run_comments_1 \(comment_id=\?\)/.test(line)
    expect(reads.filter(isOfSet), found).not.toEqual([])
    expect(
      reads.filter((line) => !isOfSet(line) && !isById(line)),
      found,
    ).toEqual([])
  })

  it('finds no comment that was deleted or erased, nor one on a run that was deleted', async () => {
    await upload('kept', 'erasable')
    await upload('doomed', 'erasable')
    const deleted = await comment('kept', 'badger 1')
    await comment('kept', 'badger 2')
    const [seq] = await spec.column("SELECT max(seq) FROM events WHERE type = 'RunCommented'")
    await comment('doomed', 'badger 3')
    expect(await ids('q=badger')).toHaveLength(3)
    expect((await admin('DELETE', `/runs/kept/comments/${deleted}`)).statusCode).toBe(204)
    const body = JSON.stringify({ reference: 'case-1', seqs: [Number(seq)] })
    expect((await admin('POST', '/erasures', { headers: json, body })).statusCode).toBe(200)
    expect((await admin('DELETE', '/runs/doomed')).statusCode).toBe(204)
    expect(await ids('q=badger')).toEqual([])
  })

  it('returns the newest of many comments of several sets, page by page, without a gap', async () => {
    const { viewer } = await spec.addUser('reader')
    await spec.restrict('sealed')
    const sets = ['sealed', 'one', 'two']
    for (const project of sets) await upload(`many-${project}`, project)
    const numbers = new Map(
      (await spec.rows("SELECT id, run_no FROM runs WHERE id LIKE 'many-%'")).map(({ id, run_no }) => [
        id,
        Number(run_no),
      ]),
    )
    const rows = Array.from({ length: 3 * MAX_COMMENTS_READ }, (_, n) => {
      const project = sets[n % 3] ?? ''
      return {
        n,
        project,
        run_no: numbers.get(`many-${project}`) ?? 0,
        id: `${'7'.padEnd(18, 'Z')}${String(n).padStart(8, '0')}`,
      }
    })
    const inserted = (table: string, values: readonly string[]): Promise<unknown> =>
      spec.execute(`INSERT INTO ${table} VALUES ${values.map((row) => `(${row})`).join(', ')}`)
    await inserted(
      'run_comments (comment_id, run_no, seq, commented_at, set_key)',
      rows.map(
        ({ n, project, run_no, id }) => `'${id}', ${run_no}, ${n}, ${n}, '${setKey({ project, suite: 'nightly' })}'`,
      ),
    )
    await inserted(
      'comment_texts (comment_id, run_no, text, salt)',
      rows.map(({ n, run_no, id }) => `'${id}', ${run_no}, '${n < 20 ? 'osprey' : 'gull'}', ''`),
    )
    const pages: string[][] = []
    for (let cursor: string | undefined | null; cursor !== null && pages.length < 9;) {
      const page = await searchComments(spec.service.reader, viewer, { q: 'osprey', limit: 50, cursor })
      pages.push(page.comments.map(({ id }) => id))
      cursor = page.next_cursor
    }
    // 2,000 of them can be seen: two full pages, and what other examples left.
    expect(pages).toHaveLength(3)
    expect(pages.flat()).toEqual(
      rows
        .filter(({ n, project }) => n < 20 && project !== 'sealed')
        .map(({ id }) => id)
        .toReversed(),
    )
  })
})
