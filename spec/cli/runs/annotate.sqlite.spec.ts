import { afterAll, describe, expect, it } from 'vitest'
import type { CommentList } from '../../../queries/runs/comments.ts'
import type { RunDetail } from '../../../queries/runs/run-detail.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { upload } from '../../support/documents/sample-data.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'

afterAll(async () => void (await server.stop()))
const server = await startServer()
const headers = { authorization: `Bearer ${server.token}` }
const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runErs(args, { cwd: '/', env: { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token, ...env } })
const read = async <T>(path: string): Promise<T> =>
  (await (await fetch(`${server.url}/api/v1${path}`, { headers })).json()) as T
const KEY = aCase().case_key
for (const run_id of ['one', 'two']) await upload(server, JSON.stringify(aDocument({ run_id, cases: [aCase()] })))

describe('ers annotate', () => {
  it('changes what is given, keeps the rest, and prints what the run has then', async () => {
    expect(await ers(['annotate', 'one', '--title', 'Second "try"', '--tag', 'a', '--tag', 'b'])).toEqual({
      code: 0,
      stdout: 'one: title "Second \\"try\\"", tags "a", "b"\n',
      stderr: '',
    })
    expect((await ers(['annotate', 'one', '--note', 'GPU 3 was hot.', '--untag', 'a'])).stdout).toBe(
      'one: title "Second \\"try\\"", note "GPU 3 was hot.", tags "b"\n',
    )
    expect((await read<RunDetail>('/runs/one')).added).toMatchObject({
      title: 'Second "try"',
      note: 'GPU 3 was hot.',
      tags: ['b'],
    })
    expect((await ers(['annotate', 'one', '--title', '', '--note', '', '--untag', 'b'])).stdout).toBe(
      'one: nothing is added\n',
    )
  })

  it.each([
    [['one'], 'give --title, --note, --tag or --untag'],
    [['one', '--tag', 'x', '--untag', 'x'], 'x is given with --tag and --untag'],
    [['one', '--title', 'x'.repeat(201)], 'title: must have 1 to 200 characters'],
    [['unknown', '--title', 'x'], 'run not found; upload the run first, with ers share'],
    [['..', '--title', 'x'], ''],
  ])('ends with 2 for %j', async (args, message) => {
    const { code, stdout, stderr } = await ers(['annotate', ...args])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  })
})

describe('ers comment', () => {
  it('comments on a run, and on one of its cases', async () => {
    const { code, stdout } = await ers(['comment', 'two', 'Look at\nthe first case.'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^comment \w{26} on two\n$/)])
    expect((await ers(['comment', 'two', 'Wrong city.', '--case', KEY])).code).toBe(0)
    const { comments } = await read<CommentList>('/runs/two/comments')
    expect(comments.map(({ text, case_key }) => [text, case_key])).toEqual([
      ['Wrong city.', KEY],
      ['Look at\nthe first case.', null],
    ])
  })

  it.each([
    [['two', ' '], 'text: must have 1 to 10000 characters'],
    [['two', 'x', '--case', 'nothing'], 'case not found'],
    [['unknown', 'x'], 'run not found; upload the run first, with ers share'],
    [['two'], "missing required argument 'text'"],
  ])('ends with 2 for %j', async (args, message) => {
    const { code, stdout, stderr } = await ers(['comment', ...args])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  })

  it('ends with 3 if the service refuses the token', async () => {
    const { code, stderr } = await ers(['comment', 'two', 'x'], { SERVICE_TOKEN: 'wrong' })
    expect([code, stderr]).toEqual([3, expect.stringContaining('(check SERVICE_TOKEN)')])
  })
})
