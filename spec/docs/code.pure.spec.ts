import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { COMMANDS } from '../../cli/commands.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'packaging/README.md',
  'plugin/README.md',
  ...globSync('{clients/*/README.md,docs/**/*.md}', { cwd: ROOT }).toSorted(),
].map((page) => ({ page, text: read(page) }))

/** A code of a page: a fenced block, or one in a line. */
type Code = { readonly language: string | null; readonly text: string; readonly line: number }

/** The codes of a page in Markdown. Blocks without a language are shell commands or output. */
const codesOf = (markdown: string): Code[] => {
  const lines = markdown.split('\n')
  const codes: Code[] = []
  let block: { language: string; start: number } | null = null
  for (const [index, line] of lines.entries()) {
    const fence = /^ *```(\w*)$/.exec(line)
    if (fence && block === null) block = { language: fence[1] ?? '', start: index + 1 }
    else if (fence && block !== null) {
      codes.push({ ...block, text: lines.slice(block.start, index).join('\n'), line: block.start })
      block = null
    } else if (block === null)
      for (const [, text = ''] of line.matchAll(/`([^`]+)`/g)) codes.push({ language: null, text, line: index + 1 })
  }
  return codes
}

const CODES = PAGES.flatMap(({ page, text }) => codesOf(text).map((code) => ({ ...code, at: `${page}:${code.line}` })))

const commands = new Map(await Promise.all(COMMANDS.map(async ({ name, load }) => [name, await load()] as const)))

/** The uses of `ers` in shell text: the words after it, without comments, up to the end of the command. */
const usesOf = (shell: string): string[] =>
  shell
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) =>
      [...line.matchAll(/(?:^|[\s;&|("'])(?:\.\/)?ers ([a-z][^;&|)`#$]*(?:\$\w[^;&|)`#$]*)*)/g)]
        .filter(({ index }) => !/(?:^|\s)#/.test(line.slice(0, index)))
        .map(([, words = '']) => words.trim()),
    )

/** Why a command line of `ers` would not be accepted, as far as its names say; null if they exist. */
const faultOf = (use: string): string | null => {
  // Brackets around an option say that it is optional, and a sentence may end after a name.
  const words = use.split(/\s+/).map((word) => /^[["'(]?(-{0,2}[\w.-]*\w)/.exec(word)?.[1] ?? '')
  let command: Command | undefined = commands.get(words[0] ?? '')
  if (command === undefined) return `there is no command ${words[0]}`
  const inner = command.commands.find((each) => each.name() === words[1])
  if (inner === undefined && command.commands.length > 0 && /^[a-z]/.test(words[1] ?? ''))
    return `${words[0]} has no command ${words[1]}`
  command = inner ?? command
  const known = new Set(['--help', '-h', ...command.options.flatMap(({ long, short }) => [long, short])])
  const options = words.flatMap((word) => /^(--?[a-z][\w-]*)/.exec(word)?.[1] ?? [])
  const unknown = options.find((option) => !known.has(option))
  return unknown === undefined ? null : `${command.name()} has no option ${unknown}`
}

describe('the commands on the pages', () => {
  it('exist, with the options that they have there', () => {
    const shells = CODES.filter(({ language }) => language === null || ['sh', 'bash', 'yaml', ''].includes(language))
    const uses = shells.flatMap(({ text, at }) => usesOf(text).map((use) => ({ use, at })))
    expect(uses.length).toBeGreaterThan(150)
    expect(uses.flatMap(({ use, at }) => faultOf(use)?.concat(` (${at}: ${use})`) ?? [])).toEqual([])
  })

  it('of npm are scripts of this package', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }
    const used = CODES.flatMap(({ text, at }) =>
      [...text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => ({ name, at })),
    )
    expect(used.length).toBeGreaterThan(10)
    expect(used.filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([])
  })

  it('are found wrong if a name is', () => {
    expect(usesOf('$ npx ers run --no-such a # ers x\ncat a | ers gate \\\n  --b')).toEqual([
      'run --no-such a',
      'gate --b',
    ])
    expect(faultOf('runn first')).toBe('there is no command runn')
    expect(faultOf('run --no-such')).toBe('run has no option --no-such')
    expect(faultOf('cache no-such')).toBe('cache has no command no-such')
    expect(faultOf('serve --port 1')).toBeNull()
  })
})

describe('the data on the pages', () => {
  it('in blocks of JSON and YAML can be parsed', () => {
    const faults = CODES.flatMap(({ language, text, at }) => {
      try {
        if (language === 'json') JSON.parse(text)
        if (language === 'yaml') parse(text)
        return []
      } catch (error) {
        return [`${at}: ${String(error)}`]
      }
    })
    expect(faults).toEqual([])
  })
})

describe('the routes on the pages', () => {
  const { paths } = JSON.parse(read('clients/openapi.json')) as { paths: Record<string, Record<string, unknown>> }
  const routes = Object.entries(paths).map(([path, methods]) => ({
    parts: path.split('/').slice(1),
    methods: Object.keys(methods).map((method) => method.toUpperCase()),
  }))
  /** Served where agents are (`SERVICE_MCP_ENABLED`), and no part of the document. */
  const UNLISTED = '/api/v1/mcp'
  const OF_OTHER_TOOLS = /^\/v1\/|^\/runs\/query$/
  /** Whether a route has the path; without a method, whether one begins with it. A parameter of a route matches every value. */
  const isRoute = (method: string | null, path: string): boolean => {
    const parts = path.split('/').slice(1)
    return routes.some(
      (route) =>
        (method === null ? route.parts.length >= parts.length : route.parts.length === parts.length) &&
        (method === null || route.methods.includes(method)) &&
        parts.every((part, index) => /^\{/.test(route.parts[index] ?? '') || part === route.parts[index]),
    )
  }
  const mentions = CODES.flatMap(({ text, at }) =>
    [...text.matchAll(/(?:\b(GET|POST|PUT|PATCH|DELETE) )?(?<![\w.*…])((?:\/api\/v1)?\/[a-z][^\s"'`?#)|,;\\]*)/g)].map(
      ([, method = null, path = '']) => ({ method, path, at }),
    ),
  )
    .filter(({ method, path }) => path.startsWith('/api/v1/') || method !== null)
    .filter(({ path }) => path !== UNLISTED && !OF_OTHER_TOOLS.test(path))
    .map(({ method, path, at }) => ({ method, path: path.replace(/[.:]$/, ''), at }))

  it('exist in the document of the API', () => {
    expect(mentions.length).toBeGreaterThan(100)
    const unknown = mentions.filter(({ method, path }) => !isRoute(method, path) && !isRoute(method, `/api/v1${path}`))
    expect(unknown.map(({ method, path, at }) => `${at}: ${method ?? ''} ${path}`)).toEqual([])
  })
})
