import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ManifestEntry } from '../../../domain/evidence/manifest.ts'
import type { RunDocument } from '../../../engine/runner/run-document.ts'
import { digestOf, noise } from '../../support/documents/parts.ts'
import { filesWith } from '../../support/files-with.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'
import { chatAnswer, messagesAnswer } from '../../support/vendors/answers.ts'
import { startVendors } from '../../support/vendors/vendors.ts'

const server = await startServer()
afterAll(() => server.stop())

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-run-evidence-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runErs(args, { cwd: folder, env: { CHAT_KEY: 'k-0123456789', ...env } })
const withServer = { SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token }
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), noise(90_000, 3)])
const WAV = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), noise(70_000, 4)])
const base64 = (bytes: Buffer): string => bytes.toString('base64')

const runFolder = (run_id: string): string => join(folder, '.service/runs', run_id)
const partIn = (run_id: string, sha256: string): Buffer =>
  readFileSync(join(runFolder(run_id), 'parts', sha256.slice(0, 2), sha256))
const manifestIn = (run_id: string): readonly ManifestEntry[] =>
  (JSON.parse(readFileSync(join(runFolder(run_id), 'manifest-0.json'), 'utf8')) as { parts: ManifestEntry[] }).parts

const get = (path: string) =>
  fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${server.token}` } })

describe('pictures and sounds of answers', () => {
  const suite = (url: string) =>
    write(
      'service.yaml',
      `version: 1
project: desk
suite: pictures
providers:
  - {id: chat, type: openai, model: m, base_url: "${url}/v1", api_key_env: CHAT_KEY}
  - {id: messages, type: anthropic, model: m, base_url: "${url}", api_key_env: CHAT_KEY}
  - {id: google, type: http, url: "${url}/google", body: {q: "{{ prompt }}"}, output_expr: "response.json.candidates[0].content.parts[0].text"}
  - {id: voice, type: http, url: "${url}/voice", body: {q: "{{ prompt }}"}}
prompts: [{id: ask, template: "{{ q }}"}]
defaults: {assert: [{type: not-contains, value: zzz}]}
tests: [{id: draw, vars: {q: draw, seen: "data:image/png;base64,${base64(PNG)}"}}]
`,
    )

  it('become parts of the stored run, also where the cache answers, and are named where they were', async () => {
    await using vendors = await startVendors()
    vendors.answerWith(({ path }) => {
      if (path === '/google')
        return {
          body: {
            candidates: [
              {
                content: { parts: [{ text: 'a cat' }, { inline_data: { mime_type: 'image/png', data: base64(PNG) } }] },
              },
            ],
          },
        }
      if (path === '/voice') return { headers: { 'content-type': 'audio/wav' }, body: WAV }
      if (path.endsWith('/messages'))
        return messagesAnswer('', {
          content: [
            { type: 'text', text: 'a dog' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64(PNG) } },
          ],
        })
      return chatAnswer(null, {
        message: {
          audio: { id: 'audio_1', data: base64(WAV), transcript: 'a bird sings', expires_at: 1 },
          images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${base64(PNG)}` } }],
        },
      })
    })
    suite(vendors.url)
    const first = await ers(['run', '--format', 'json'])
    expect(first).toMatchObject({ code: 0 })
    const document = JSON.parse(first.stdout) as RunDocument
    const [png, wav] = [digestOf(PNG), digestOf(WAV)]
    expect(document.cases).toMatchObject([
      {
        output: 'a bird sings',
        vars: { seen: `part:${png}` },
        raw: {
          choices: [{ message: { audio: { data: `part:${wav}` }, images: [{ image_url: { url: `part:${png}` } }] } }],
        },
      },
      { output: 'a dog', raw: { content: [{}, { source: { data: `part:${png}` } }] } },
      {
        output: 'a cat',
        raw: { candidates: [{ content: { parts: [{}, { inline_data: { data: `part:${png}` } }] } }] },
      },
      { output: `part:${wav}` },
    ])
    expect(JSON.stringify(document.cases)).not.toContain(base64(PNG).slice(200, 300))
    const entries = manifestIn(document.run_id)
    expect(digestOf(readFileSync(join(runFolder(document.run_id), 'manifest-0.json')))).toBe(document.evidence_manifest)
    expect(entries.map(({ sha256, role, case_key, media_type }) => [sha256, role, case_key, media_type])).toEqual([
      // What the model answered comes before what the case has besides.
      [wav, 'output', document.cases[0]?.case_key, 'audio/wav'],
      [png, 'output', document.cases[0]?.case_key, 'image/png'],
      [png, 'output', document.cases[1]?.case_key, 'image/png'],
      [png, 'output', document.cases[2]?.case_key, 'image/png'],
      [png, 'input', document.cases[3]?.case_key, 'image/png'],
      [wav, 'output', document.cases[3]?.case_key, 'audio/wav'],
    ])
    for (const [sha256, bytes] of [
      [png, PNG],
      [wav, WAV],
    ] as const)
      expect(partIn(document.run_id, sha256).equals(bytes)).toBe(true)

    const second = await ers(['run', '--format', 'json', '--cache-only'])
    const again = JSON.parse(second.stdout) as RunDocument
    expect(again.cases.map(({ cached }) => cached)).toEqual([true, true, true, true])
    expect(again.evidence_manifest).toBe(document.evidence_manifest)
    expect(partIn(again.run_id, png).equals(PNG)).toBe(true)
    // Nothing of a run is left outside of its folder.
    expect(readdirSync(join(folder, '.service/runs')).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('a run without any has no manifest', async () => {
    await using vendors = await startVendors()
    write(
      'service.yaml',
      `version: 1
providers: [{id: chat, type: openai, model: m, base_url: "${vendors.url}/v1", api_key_env: CHAT_KEY}]
prompts: [{id: ask, template: hello}]
tests: [{id: a}]
`,
    )
    const { stdout } = await ers(['run', '--format', 'json'])
    const { run_id, evidence_manifest } = JSON.parse(stdout) as RunDocument
    expect(evidence_manifest).toBeUndefined()
    expect(readdirSync(runFolder(run_id))).toEqual(['result.json'])
  })
})

const TRANSCRIPT = [
  '{"transcript":1,"source":{"format":"own","version":"1"}}',
  '{"type":"message","id":"m","role":"assistant","content":"bot-canary-0123456789"}',
  '',
].join('\n')

/** A program that writes a transcript and a picture, and counts its runs. */
const BOT = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
let text = ''
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
const { test, vars } = JSON.parse(text)
appendFileSync('calls', 'x')
mkdirSync('out', { recursive: true })
writeFileSync('out/' + test.id + '.jsonl', ${JSON.stringify(TRANSCRIPT)})
writeFileSync('out/screen.png', Buffer.from(${JSON.stringify(base64(PNG))}, 'base64'))
const files = { transcript: 'out/' + test.id + '.jsonl', attachments: [{ path: 'out/screen.png', name: 'the screen' }, { path: 'out/' + test.id + '.jsonl' }] }
const answer = vars.kind === 'breaks' ? { output: null, error: { message: 'lost' } } : { output: 'done' }
process.stdout.write(JSON.stringify({ ...answer, ...files }))
`

const botSuite = () => {
  write('bot.mjs', BOT)
  write(
    'service.yaml',
    `version: 1
project: desk
suite: agents
providers: [{id: bot, type: exec, command: ["${process.execPath}", bot.mjs], pass_env: [BOT_KEY]}]
tests: [{id: works, vars: {kind: works}, assert: [{type: contains, value: done}]}, {id: breaks, vars: {kind: breaks}}]
`,
  )
}

describe('files of programs', () => {
  const env = { BOT_KEY: 'bot-canary-0123456789' }

  it('are parts without secrets, of calls that failed too, and come from the cache again', async () => {
    botSuite()
    const first = await ers(['run', '--format', 'json'], env)
    expect(first.code).toBe(3)
    const document = JSON.parse(first.stdout) as RunDocument
    expect(document.cases).toMatchObject([{ output: 'done', status: 'pass' }, { error: 'provider error: lost' }])
    const entries = manifestIn(document.run_id)
    const redacted = digestOf(Buffer.from(TRANSCRIPT.replace(env.BOT_KEY, '[redacted BOT_KEY]')))
    const [works, breaks] = document.cases
    const expected = (case_key: string | undefined) => [
      { role: 'transcript', name: 'transcript', media_type: 'application/x-ndjson', sha256: redacted, case_key },
      { role: 'output', name: 'the screen', media_type: 'image/png', sha256: digestOf(PNG), case_key },
    ]
    expect(entries).toMatchObject([...expected(works?.case_key), ...expected(breaks?.case_key)])
    rmSync(join(folder, 'out'), { recursive: true })
    expect(filesWith(join(folder, '.service'), env.BOT_KEY)).toEqual([])

    const calls = readFileSync(join(folder, 'calls'), 'utf8').length
    const second = JSON.parse((await ers(['run', '--format', 'json', '--filter', 'works'], env)).stdout) as RunDocument
    expect(second.cases).toMatchObject([{ cached: true }])
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toHaveLength(calls)
    expect(manifestIn(second.run_id)).toMatchObject(expected(works?.case_key))
    expect(partIn(second.run_id, digestOf(PNG)).equals(PNG)).toBe(true)
  })

  it('are sent before the run with --share, and by `ers share` later', async () => {
    botSuite()
    const shared = await ers(['run', '--format', 'json', '--share'], { ...env, ...withServer })
    expect(shared.stderr).toContain('View run: ')
    const { run_id, cases } = JSON.parse(shared.stdout) as RunDocument
    const key = cases[0]?.case_key ?? ''
    const parts = (await (await get(`/runs/${run_id}/cases/${key}/parts`)).json()) as { parts: unknown[] }
    expect(parts.parts).toMatchObject([
      { role: 'transcript', name: 'transcript' },
      { role: 'output', name: 'the screen', sha256: digestOf(PNG) },
    ])
    const picture = await get(`/runs/${run_id}/parts/${digestOf(PNG)}`)
    expect(Buffer.from(await picture.arrayBuffer()).equals(PNG)).toBe(true)

    const local = JSON.parse((await ers(['run', '--format', 'json'], env)).stdout) as RunDocument
    expect(await ers(['share', local.run_id], withServer)).toMatchObject({ code: 0, stderr: '' })
    expect((await get(`/runs/${local.run_id}/parts/${digestOf(PNG)}`)).status).toBe(200)
    // Stored again with its address, it still names its evidence.
    expect(JSON.parse(readFileSync(join(runFolder(local.run_id), 'result.json'), 'utf8'))).toMatchObject({
      evidence_manifest: local.evidence_manifest,
      share_url: expect.any(String) as string,
    })
  })

  it('a part that is gone fails the upload, and a manifest that is gone leaves it without evidence', async () => {
    botSuite()
    const { run_id } = JSON.parse((await ers(['run', '--format', 'json'], env)).stdout) as RunDocument
    const file = join(runFolder(run_id), 'parts', digestOf(PNG).slice(0, 2), digestOf(PNG))
    const bytes = readFileSync(file)
    rmSync(file)
    const refused = await ers(['share', run_id, '--strict'], withServer)
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining(`${digestOf(PNG)} is missing`) as string })
    expect((await get(`/runs/${run_id}`)).status).toBe(404)
    writeFileSync(file, bytes)
    rmSync(join(runFolder(run_id), 'manifest-0.json'))
    const bare = await ers(['share', run_id, '--strict'], withServer)
    expect(bare).toMatchObject({ code: 0, stderr: expect.stringContaining('uploaded without its evidence') as string })
    expect(await (await get(`/runs/${run_id}`)).json()).not.toHaveProperty('evidence')
  })
})

it('parts of a run that cannot be stored stay where they are, and it is not shared without them', async () => {
  write(
    'bot.mjs',
    `import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
let text = ''
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
const { test } = JSON.parse(text)
writeFileSync(test.id, 'file of ' + test.id)
const runs = '.service/runs'
const files = () => (existsSync(runs) ? readdirSync(runs, { recursive: true }) : []).filter((name) => /parts.[0-9a-f]{2}.[0-9a-f]{64}$/.test(name))
if (test.id === 'second') for (const name of files()) rmSync(runs + '/' + name)
process.stdout.write(JSON.stringify({ output: 'done', attachments: [{ path: test.id }] }))
`,
  )
  write(
    'service.yaml',
    `version: 1
project: desk
suite: lost
providers: [{id: bot, type: exec, command: ["${process.execPath}", bot.mjs]}]
runner: {concurrency: 1}
tests: [{id: first, vars: {n: 1}}, {id: second, vars: {n: 2}}]
`,
  )
  const { stdout, stderr, code } = await ers(['run', '--format', 'json', '--share'], withServer)
  const { run_id } = JSON.parse(stdout) as RunDocument
  expect(code).not.toBe(0)
  expect(stderr).toContain('the run is not stored')
  expect(stderr).toContain('the evidence of the run cannot be uploaded')
  const [kept = ''] = readdirSync(join(folder, '.service/runs')).filter((name) => name.startsWith('.parts-'))
  expect(stderr).toContain(`pictures and attachments of the run stay in ${join(folder, '.service/runs', kept)}`)
  expect(readdirSync(join(folder, '.service/runs', kept)).sort()).toEqual(['manifest-0.json', 'parts'])
  expect((await get(`/runs/${run_id}`)).status).toBe(404)
})

it('a folder that cannot be written keeps the pictures where they were', async () => {
  await using vendors = await startVendors()
  vendors.answerWith(() =>
    chatAnswer('here', {
      message: { images: [{ image_url: { url: `data:image/gif;base64,${'R0lGODlh'.repeat(4)}` } }] },
    }),
  )
  write('runs', 'a file')
  write(
    'service.yaml',
    `version: 1
providers: [{id: chat, type: openai, model: m, base_url: "${vendors.url}/v1", api_key_env: CHAT_KEY}]
prompts: [{id: ask, template: hello}]
tests: [{id: a, assert: [{type: contains, value: here}]}]
`,
  )
  const { code, stdout, stderr } = await ers(['run', '--format', 'json'], { SERVICE_RUNS_DIR: join(folder, 'runs') })
  expect(code).toBe(0)
  expect(stderr).toContain('pictures, sounds and attachments are not kept')
  expect(stdout).toContain('R0lGODlh'.repeat(4))
  expect(existsSync(join(folder, '.service/runs'))).toBe(false)
})

it('a service that is older than evidence gets the run without, and one that breaks off gets no run', async () => {
  botSuite()
  const { run_id } = JSON.parse(
    (await ers(['run', '--format', 'json'], { BOT_KEY: 'bot-canary-0123456789' })).stdout,
  ) as {
    run_id: string
  }
  let answer: 'older' | 'full' = 'older'
  const uploads: string[] = []
  const service = createServer((request, response) => {
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      if (request.url === '/api/v1/runs') {
        uploads.push(gunzipSync(Buffer.concat(chunks)).toString())
        return send(201, { id: run_id })
      }
      if (answer === 'full') return send(409, { error: 'name or drop your parts first' })
      return send(404, { error: 'route not found' })
    })
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  try {
    const env = { SERVICE_SERVER_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}` }
    const older = await ers(['share', run_id, '--strict'], env)
    expect(older).toMatchObject({ code: 0, stderr: expect.stringContaining('is older than evidence') as string })
    expect(uploads).toHaveLength(1)
    expect(JSON.parse(uploads[0] ?? '')).not.toHaveProperty('evidence_manifest')
    answer = 'full'
    const full = await ers(['share', run_id, '--strict'], env)
    expect(full).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('the evidence of the run cannot be uploaded: ') as string,
    })
    expect(full.stderr).toContain('name or drop your parts first')
    expect(uploads).toHaveLength(1)
  } finally {
    service.close()
  }
})
