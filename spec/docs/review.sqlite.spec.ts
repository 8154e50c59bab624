import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { bareEnvironment } from '../support/bare-environment.ts'
import { judgedRun } from '../support/documents/queues.ts'
import { openApp, TOKENS, type SpecUser } from '../support/servers/app.ts'
import { runErs } from '../support/servers/run-ers.ts'
import { blocksOf } from './read-page.ts'

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/review.md', import.meta.url)), 'utf8')
const spec = await openApp()
const url = await spec.app.listen({ host: '127.0.0.1', port: 0 })
const folder = mkdtempSync(join(tmpdir(), 'ers-review-'))
afterAll(async () => {
  await spec.close()
  rmSync(folder, { recursive: true })
})
const env = { SERVICE_SERVER_URL: url, SERVICE_TOKEN: TOKENS.write }
const [ann, ben, cleo] = [
  await spec.addUser('ann', 'reviewer'),
  await spec.addUser('ben', 'reviewer'),
  await spec.addUser('cleo', 'reviewer'),
]
const run = judgedRun('of-the-page', 105, 70, { project: 'support-desk', suite: 'refunds' })
expect((await spec.ingest(run)).statusCode).toBe(201)

/** The answer to a request of the page, whose words in capitals are replaced by ids. */
const answerTo = async (command: string, ids: Readonly<Record<string, string>>): Promise<Record<string, unknown>> => {
  const script = Object.entries(ids).reduce((filled, [word, id]) => filled.replaceAll(`"${word}"`, `"${id}"`), command)
  const child = spawn('bash', ['--norc', '-c', `curl -sS --fail-with-body ${script.slice('curl '.length)}`], {
    cwd: folder,
    env: { ...bareEnvironment(), ...env, PATH: process.env['PATH'] ?? '' },
  })
  child.stdin.end()
  const [body, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  expect([child.exitCode, complaint], body).toEqual([0, ''])
  return JSON.parse(body) as Record<string, unknown>
}
const requests = blocksOf(PAGE).flatMap(({ language, text: command }) =>
  language === 'sh' && command.startsWith('curl ') ? [command.trimEnd()] : [],
)

it('the requests of the page about reviews run, and so do its commands', async () => {
  expect(requests).toHaveLength(2)
  const rubric = await answerTo(requests[0]!, {})
  expect(rubric).toMatchObject({ name: 'Right answers', version: 1 })
  const ids = { RUBRIC: String(rubric['id']), RUN: run.run_id }
  expect(await answerTo(requests[1]!, ids)).toMatchObject({
    ...{ items: 60, targeted: false, half_width: expect.any(Number) as number },
    groups: { passed: { cases: 70, taken: 30 }, failed: { cases: 35, taken: 30 } },
  })

  // The import of labels needs a file of another tool: spec/cli/review runs it.
  const [before = ''] = PAGE.split('\n## Labels of other tools')
  const commands = before.split('\n').flatMap((line) => /^ {4}ers (.+)$/.exec(line)?.[1] ?? [])
  expect(commands.map((command) => command.split(' ').slice(0, 2).join(' '))).toEqual([
    ...['review open', 'review list', 'review close', 'labels export'],
  ])
  let queue = ''
  for (const command of commands) {
    const filled = Object.entries({ ...ids, QUEUE: queue }).reduce(
      (line, [word, id]) => line.replaceAll(new RegExp(String.raw`\b${word}\b`, 'g'), id),
      command,
    )
    const { code, stdout, stderr } = await runErs(filled.split(' '), { cwd: folder, env })
    expect(code, `${filled}: ${stderr}`).toBe(0)
    queue ||= /^queue (\S+) with 60 cases/.exec(stdout)?.[1] ?? ''
    expect(queue).not.toBe('')
  }
  expect(existsSync(join(folder, 'labels.csv'))).toBe(true)
})

it('the requests of reviewers and adjudicators on the page are answered', async () => {
  const rubric = await answerTo(requests[0]!, {})
  const opening = requests[1]!.replace('"dry_run": true', '"seed": "one"').replaceAll('30', '1')
  const queue = await answerTo(opening, { RUBRIC: String(rubric['id']), RUN: run.run_id })
  const item = `${String(queue['id'])}.1`
  let labels = 0
  const labelOf = (right: 'pass' | 'fail') => ({
    ...{ label_id: `01J${String(++labels).padStart(23, '0')}`, seconds: 5 },
    answers: { right, why: 'It names it.' },
  })
  const withdrawn = labelOf('pass')
  const sent: ReadonlyArray<readonly [user: SpecUser, request: string, body: object | null, status: number]> = [
    [ann, 'GET /review/queues', null, 200],
    [ann, 'POST /review/next', { queue_id: queue['id'] }, 200],
    [ann, 'POST /review/items/{item}/labels', withdrawn, 201],
    [ann, 'POST /review/labels/{id}/withdraw', { reason: 'mistake' }, 204],
    [ann, 'POST /review/items/{item}/labels', labelOf('pass'), 201],
    [ben, 'POST /review/items/{item}/labels', labelOf('fail'), 201],
    [cleo, 'POST /review/items/{item}/adjudicate', labelOf('fail'), 201],
    [ben, 'POST /review/items/{item}/decline', { reason: 'conflict' }, 409],
    // Until the queue is closed.
    [ann, 'GET /review/labels/{id}/receipt', null, 409],
  ]
  for (const [user, request, body, status] of sent) {
    expect(PAGE).toContain(request)
    const [method = '', path = ''] = request.split(' ')
    const answer = await user.send(
      method,
      path.replace('{item}', item).replace('{id}', withdrawn.label_id),
      body === null ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    )
    expect(answer.statusCode, `${request}: ${answer.body}`).toBe(status)
  }
  // All of the table was sent.
  const table = [...PAGE.matchAll(/^\| `((?:GET|POST) \/review\/[^`]+)` \|/gm)].map(([, request]) => request)
  expect(table).toHaveLength(6)
  for (const request of table) expect(sent.map(([, each]) => each)).toContain(request)
})
