import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { generatedTests } from '../../engine/data/test-file.ts'
import { loadSuite } from '../../engine/suite/load-suite.ts'
import { bareEnvironment } from '../support/bare-environment.ts'
import { filesWith } from '../support/files-with.ts'
import { PROGRAM } from '../support/servers/program.ts'
import { startServer, type RunningServer } from '../support/servers/server.ts'
import { chatAnswer, messagesAnswer, messagesVerdict, usualAnswer } from '../support/vendors/answers.ts'
import { startVendors, type Vendors } from '../support/vendors/vendors.ts'
import { blocksOf, matches, stepsOf, type Block } from './read-page.ts'

const FOLDER = fileURLToPath(new URL('../../docs/evaluations/', import.meta.url))
const PAGES = globSync('*.md', { cwd: FOLDER }).toSorted()
const blocksOfPage = new Map(PAGES.map((page) => [page, blocksOf(readFileSync(join(FOLDER, page), 'utf8'))]))

/** A key that must appear nowhere but in the requests. */
const KEY = 'canary-of-the-pages-7f3a'
const VERDICT = { reasoning: 'It does.', pass: true, score: 0.9 }

const folder = mkdtempSync(join(tmpdir(), 'ers-pages-'))
let vendors: Vendors
let server: RunningServer

beforeAll(async () => {
  server = await startServer()
  vendors = await startVendors()
  vendors.answerWith(({ path: target, body }) => {
    const [path = ''] = target.split('?')
    if (path.startsWith('/ask')) return { body: { answers: [{ text: 'It is Paris.' }] } }
    if (path.endsWith('/messages'))
      return body.includes('submit_verdict') ? messagesVerdict(VERDICT) : messagesAnswer('It is Paris.')
    if (path.endsWith('/chat/completions'))
      return chatAnswer(body.includes('json_schema') ? JSON.stringify(VERDICT) : 'It is Paris.')
    return usualAnswer(path, body)
  })
  // `ers` is the program as it was built for the specs; `npx` starts it alone, and `npm ci` installs it alone.
  mkdirSync(join(folder, 'bin'))
  const ers = join(folder, 'bin', 'ers')
  const scripts = {
    ers: `exec "${process.execPath}" "${PROGRAM}" "$@"`,
    npx: `[ "$1" = ers ] || exit 99\nexec "$@"`,
    npm: `[ "$*" = ci ] || exit 99\nmkdir -p node_modules/.bin && ln -sf "${ers}" node_modules/.bin/ers`,
  }
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }
})
afterAll(async () => {
  await server.stop()
  await vendors[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const environment = (directory: string): Record<string, string> => ({
  ...bareEnvironment(),
  PATH: [join(folder, 'bin'), dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
  HOME: directory,
  ANTHROPIC_API_KEY: KEY,
  OPENAI_API_KEY: KEY,
  BOT_TOKEN: KEY,
  BOT_KEY: KEY,
  ANTHROPIC_BASE_URL: vendors.url,
  OPENAI_BASE_URL: `${vendors.url}/v1`,
  BOT_URL: vendors.url,
  SERVICE_SERVER_URL: server.url,
  SERVICE_TOKEN: server.token,
  GITHUB_STEP_SUMMARY: join(directory, 'step-summary.md'),
})

/** What a command prints on both streams, and its exit code. In a clone the program names itself `npx ers`, and the pages do not. */
const runShell = async (command: string, directory: string) => {
  const child = spawn('bash', ['-c', `exec 2>&1\n${command}`], { cwd: directory, env: environment(directory) })
  child.stdin.end()
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { printed: printed.replaceAll(/npx ers (\w+ *)/g, 'ers $1'), code: child.exitCode }
}

/** Writes the files of a page into a folder of its own. */
const writeFiles = (page: string): string => {
  const directory = join(folder, page)
  mkdirSync(directory)
  for (const { file, text: content } of blocksOfPage.get(page)!) {
    if (file === null) continue
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    writeFileSync(join(directory, file), content)
  }
  return directory
}

/** The commands of a CI configuration that install or run the program, in their order. */
const ciCommands = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return /^(?:npm ci$|node_modules\/\.bin\/ers )/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(ciCommands) : []
}

/** A suite around a part of one. */
const suiteAround = (part: string): string =>
  stringify({
    version: 1,
    providers: [{ id: 'any', type: 'exec', command: ['node', 'any.mjs'] }],
    ...(parse(part) as object),
  })

describe.each(PAGES)('docs/evaluations/%s', (page) => {
  const blocks = blocksOfPage.get(page)!
  const sessions = blocks.filter(({ language }) => language === 'sh')

  it('prints what it shows: all commands, in order', async () => {
    const directory = writeFiles(page)
    for (const { command, expected, line } of sessions.flatMap(stepsOf)) {
      // The variables are set already.
      if (command.startsWith('export ')) continue
      const { printed, code } = await runShell(command, directory)
      expect({ line, code, printed: matches(expected, printed) ? expected : printed }).toEqual({
        line,
        code: 0,
        printed: expected,
      })
    }
    for (const file of globSync('{.github/workflows/*.yml,.gitlab-ci.yml}', { cwd: directory }))
      for (const command of ciCommands(parse(readFileSync(join(directory, file), 'utf8')))) {
        const { printed, code } = await runShell(command, directory)
        expect({ file, command, printed, isVerdict: code === 0 || code === 1 }).toMatchObject({ isVerdict: true })
      }
    // No key is in what the commands wrote.
    expect(filesWith(directory, KEY)).toEqual([])
  })

  it('has a command for every suite, and only blocks that a spec reads', () => {
    const commands = sessions.flatMap(stepsOf).map(({ command }) => command)
    const isUsed = ({ file }: Block): boolean => {
      const directory = dirname(file!)
      const argument = directory === '.' ? '(?:$|[ ;])' : `(?:.* )?${directory}(?:$|[ ;])`
      return commands.some((command) => new RegExp(`(?:^|[ ;])ers (?:run|validate) ?${argument}`).test(command))
    }
    const suites = blocks.filter(({ file }) => file !== null && /(?:^|\/)service\.yaml$/.test(file))
    expect(suites.filter((block) => !isUsed(block)).map(({ file }) => file)).toEqual([])
    const unread = blocks.filter(({ file, language }) => file === null && !['sh', 'yaml'].includes(language))
    expect(unread.map(({ line }) => line)).toEqual([])
  })

  const parts = blocks.filter(({ file, language }) => file === null && language === 'yaml')
  it.each(parts.map((part) => [part.line, part] as const))(
    'has a valid part of a suite in line %i',
    async (line, part) => {
      const directory = join(folder, `${page}-${line}`)
      mkdirSync(directory)
      writeFileSync(join(directory, 'service.yaml'), suiteAround(part.text))
      // In this process: a program for each part would take most of the time of this file.
      const { suite } = await loadSuite(directory, { env: environment(directory) })
      expect(suite.providers).not.toEqual([])
    },
  )

  it('links to pages and sections that exist', () => {
    const anchorsOf = (markdown: string): readonly string[] =>
      [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\p{L}\p{N} -]/gu, '')
          .replaceAll(' ', '-'),
      )
    const links = [...readFileSync(join(FOLDER, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, link = '']) => link,
    )
    const broken = links.filter((link) => {
      if (/^https?:/.test(link)) return false
      const [file = '', anchor] = link.split('#')
      const target = readOrNull(join(FOLDER, file === '' ? page : file))
      return target === null || (anchor !== undefined && !anchorsOf(target).includes(anchor))
    })
    expect(broken).toEqual([])
  })
})

it('the check for keys reads the files of the cache and of the store, whose folders have a dot name', async () => {
  const directory = join(folder, 'leaks')
  mkdirSync(directory)
  // The suite names no variable that holds this text, so it is content like any other.
  writeFileSync(join(directory, 'bot.mjs'), `console.log(JSON.stringify({ output: '${KEY}' }))`)
  writeFileSync(
    join(directory, 'service.yaml'),
    'version: 1\nproviders: [{id: bot, type: exec, command: [node, bot.mjs], cache_salt: a}]\ntests: [{id: a}]\n',
  )
  expect(await runShell('ers run', directory)).toMatchObject({ code: 0 })
  expect(filesWith(directory, KEY)).toEqual([
    expect.stringMatching(/^\.service\/cache\//),
    expect.stringMatching(/^\.service\/runs\/[^/]+\/result\.json$/),
    'bot.mjs',
  ])
})

it('the commands about evaluations in the README run', async () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const section = readme.slice(readme.indexOf('## Evaluate\n'))
  const [block] = blocksOf(section)
  const directory = join(folder, 'readme')
  mkdirSync(directory)
  expect(block!.text.match(/^npx ers .*/gm)).toHaveLength(4)
  expect(await runShell(`set -e\n${block!.text}`, directory)).toMatchObject({
    code: 0,
    printed: expect.stringContaining('View run: ') as unknown,
  })
  expect(readOrNull(join(directory, 'run.html'))).toMatch(/^<!doctype html>/i)
})

const readOrNull = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

describe('the programs of docs/evaluations/exec-protocol.md', () => {
  const files = new Map(
    blocksOfPage
      .get('exec-protocol.md')!
      .flatMap(({ file, text: content }) => (file === null ? [] : [[file, content]])),
  )
  const hasPython = spawnSync('python3', ['--version'], { env: bareEnvironment() }).status === 0

  /** What a program prints for a request. */
  const printed = (program: string, file: string, request: unknown): string => {
    const directory = mkdtempSync(join(folder, 'program-'))
    writeFileSync(join(directory, file), files.get(file)!)
    const result = spawnSync(program, [file], {
      cwd: directory,
      env: { ...bareEnvironment(), SERVICE_PROTOCOL: '1' },
      input: JSON.stringify(request),
      encoding: 'utf8',
    })
    expect([result.status, result.stderr]).toEqual([0, ''])
    return result.stdout
  }

  /** The response of a program to a request of the page. */
  const respond = (program: string, file: string, request: string): unknown =>
    JSON.parse(printed(program, file, JSON.parse(files.get(request)!)))

  const EXPECTED = {
    provider: { output: 'Order A-77: within 30 days.', model: 'rules-1' },
    grader: { pass: true },
    generate: {
      tests: [1, 2].map((number) => ({
        id: `order/${number}`,
        tags: ['generated'],
        vars: { order: `B-${number}` },
        assert: [{ type: 'contains', value: `B-${number}` }],
      })),
    },
  }
  const KINDS = [
    ['provider', 'requests/provider.json'],
    ['grader', 'requests/assert.json'],
    ['generate', 'requests/generate.json'],
  ] as const

  it.each(KINDS)('%s: the one in node and the one in bash answer alike', (name, request) => {
    expect(respond(process.execPath, `${name}.mjs`, request)).toMatchObject(EXPECTED[name])
    expect(respond('bash', `${name}.sh`, request)).toMatchObject(EXPECTED[name])
  })

  it.each(KINDS)(
    `%s: the one in python answers as its twin in node (${hasPython ? 'run here' : 'no python3 here: its text is compared'})`,
    (name, request) => {
      if (hasPython) {
        expect(respond('python3', `${name}.py`, request)).toMatchObject(EXPECTED[name])
        return
      }
      // The texts that both write: members of the response, and what they say.
      const wordsOf = (file: string): readonly string[] => [
        ...new Set(
          files.get(file)!.match(/\b(?:output|usage|model|rules-1|pass|score|reason|words|id|tags|vars|assert)\b/g),
        ),
      ]
      expect(wordsOf(`${name}.py`).toSorted()).toEqual(wordsOf(`${name}.mjs`).toSorted())
    },
  )

  it.each<readonly [file: string, program: string]>([
    ['generate.mjs', process.execPath],
    ['generate.sh', 'bash'],
    ...(hasPython ? [['generate.py', 'python3'] as const] : []),
  ])('%s prints tests that a suite takes, however many they are', (file, program) => {
    for (const orders of [0, 1, 2]) {
      const text = printed(program, file, { service: { protocol: 1, kind: 'generate_tests' }, config: { orders } })
      expect(generatedTests(file, text)).toHaveLength(orders)
    }
  })
})
