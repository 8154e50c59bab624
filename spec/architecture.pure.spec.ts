import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { PROGRAM_SOURCES, WEB_SOURCES } from '../cli/bootstrap/builds.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Returns the cells of a table in the architecture page, row by row: the texts in backticks of each cell. */
const tableAfter = (heading: string): string[][][] => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  const lines = page.slice(page.indexOf(`\n| ${heading} |`) + 1).split('\n')
  const rows = lines.slice(2, lines.indexOf(''))
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)),
  )
}

/** A room with the path patterns of its allowed imports: `use` for values and types, `types` only for types. */
type Room = { readonly name: string; readonly use: readonly string[]; readonly types: readonly string[] }
const ROOMS: readonly Room[] = tableAfter('Room').map(([[name = ''] = [], , , use = [], types = []]) => ({
  name,
  use,
  types,
}))
/** The path patterns of the imports that each folder of `storage` may have, by folder name. */
const STORAGE: ReadonlyMap<string, readonly string[]> = new Map(
  tableAfter('Folder of `storage`').flatMap(([names = [], use = []]) => names.map((name) => [name, use] as const)),
)
const isOneOf = (file: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => matchesGlob(file, pattern))

type Import = { readonly from: string; readonly to: string; readonly typesOnly: boolean }

const folderOf = (file: string): string => file.split('/')[0] ?? ''

/** The TypeScript of a file; for a component its script. */
const scriptOf = (file: string): string => {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return file.endsWith('.vue') ? (/<script[^>]*>([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '') : text
}

/** Returns every import and re-export of a file, including dynamic imports, as the compiler parses them. */
const importsOf = (file: string): Import[] => {
  const collected: Import[] = []
  const add = (specifier: ts.Node | undefined, typesOnly: boolean): void => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return
    const to = specifier.text.startsWith('.')
      ? relative(ROOT, join(ROOT, dirname(file), specifier.text))
      : specifier.text
    collected.push({ from: file, to, typesOnly })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, scriptOf(file), ts.ScriptTarget.Latest))
  return collected
}

const files = ROOMS.flatMap(({ name: room }) =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((name) => `${room}/${name}`),
).filter((file) => /\.(?:ts|vue)$/.test(file) && !file.endsWith('.d.ts') && !file.startsWith('webapp/dist/'))
const imports = files.flatMap(importsOf)
const isInRooms = (path: string): boolean => ROOMS.some(({ name }) => name === folderOf(path))
const internalImports = imports.filter(({ to }) => isInRooms(to))

const describeImport = ({ from, to, typesOnly }: Import): string => `${from} → ${to}${typesOnly ? ' (types)' : ''}`

describe('the imports', () => {
  it('cover the whole service, and distinguish types from values', () => {
    expect(files.length).toBeGreaterThan(80)
    expect(internalImports.map(describeImport)).toEqual(
      expect.arrayContaining([
        'commands/run/ingest-run.ts → domain/run/prepare.ts',
        'cli/commands.ts → cli/serve/entry.ts',
        'http/services.ts → runtime/services.ts (types)',
      ]),
    )
  })

  it.each(ROOMS)('of $name are allowed by the architecture', ({ name, use, types }) => {
    const forbidden = internalImports
      .filter(({ from, to }) => folderOf(from) === name && folderOf(to) !== name)
      .filter(({ to, typesOnly }) => !isOneOf(to, typesOnly ? [...use, ...types] : use))
    expect(forbidden.map(describeImport)).toEqual([])
  })

  it('of each storage folder are allowed by the architecture', () => {
    const storageImports = internalImports.filter(
      ({ from, to }) => folderOf(from) === 'storage' && folderOf(to) === 'storage',
    )
    const folders = new Set(
      storageImports
        .map(({ from }) => from.split('/'))
        .flatMap(({ length, 1: folder = '' }) => (length > 2 ? [folder] : [])),
    )
    expect([...folders].filter((folder) => !STORAGE.has(folder))).toEqual([])
    const forbidden = storageImports.filter(({ from, to }) => {
      const [, folder = '', file] = from.split('/')
      return !isOneOf(to.slice('storage/'.length), file === undefined ? ['*.ts'] : (STORAGE.get(folder) ?? []))
    })
    expect(forbidden.map(describeImport)).toEqual([])
  })

  it('name existing files with their extension', () => {
    const existing = new Set(files)
    const isData = (file: string): boolean => /\.(?:css|json)$/.test(file) && existsSync(join(ROOT, file))
    expect(internalImports.filter(({ to }) => !existing.has(to) && !isData(to)).map(describeImport)).toEqual([])
  })

  it('never reach a spec or a file outside the service', () =>
    expect(imports.filter(({ to }) => /^(\.\.|spec\/|bench\/)/.test(to)).map(describeImport)).toEqual([]))

  it('never reach the web app from another room', () =>
    expect(
      internalImports
        .filter(({ from, to }) => folderOf(to) === 'webapp' && folderOf(from) !== 'webapp')
        .map(describeImport),
    ).toEqual([]))

  it('of database packages occur only in the storage, and where databases of other tools are read', () => {
    const reaching = imports.filter(({ to }) => ['better-sqlite3', 'pg', 'slonik'].includes(to)).map(({ from }) => from)
    const isAllowed = (file: string) => folderOf(file) === 'storage' || file.startsWith('interchange/read/')
    expect([...new Set(reaching)].filter((file) => !isAllowed(file))).toEqual([])
  })

  it('of the domain exclude files, sockets, threads and most packages', () => {
    const allowed = ['node:crypto', 'node:buffer', 'node:zlib', 'canonicalize', 'aws4fetch', 'zod']
    expect(
      imports
        .filter(({ from, to }) => folderOf(from) === 'domain' && folderOf(to) !== 'domain' && !allowed.includes(to))
        .map(describeImport),
    ).toEqual([])
  })

  it.each([
    ['web app', 'webapp/main.ts', WEB_SOURCES],
    ['program', 'cli/ers.ts', PROGRAM_SOURCES],
  ] as const)('that the %s is built from are all in its list of sources', (_, entry, sources) => {
    const reached = new Set<string>([entry])
    for (const file of reached)
      for (const { from, to, typesOnly } of internalImports) if (from === file && !typesOnly) reached.add(to)
    expect(reached.size).toBeGreaterThan(80)
    expect([...reached].filter((file) => !sources.some((path) => `${file}/`.startsWith(`${path}/`)))).toEqual([])
  })

  it('contain no cycle between files, types included', () => {
    const edges = new Map<string, Set<string>>()
    for (const { from, to } of internalImports) if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to))
    expect(cycleIn(edges)).toEqual([])
  })
})

describe('the rooms', () => {
  const rooms = [...ROOMS.map(({ name }) => name), 'spec', 'bench']

  it.each([...rooms, 'migrations'])(
    'have a page of at most ten lines that names one file to read first: %s',
    (room) => {
      const page = readFileSync(join(ROOT, room, 'README.md'), 'utf8')
      expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
      const first = /Read first: \[([^\]]+)\]\(\1\)/.exec(page)?.[1] ?? ''
      expect(existsSync(join(ROOT, room, first)) && first !== '').toBe(true)
    },
  )
})

describe('the search for cycles', () => {
  const edges = (...pairs: ReadonlyArray<readonly [string, string]>) => {
    const graph = new Map<string, Set<string>>()
    for (const [a, b] of pairs) graph.set(a, (graph.get(a) ?? new Set()).add(b))
    return graph
  }
  it('finds a cycle, and returns an empty list without one', () => {
    expect(cycleIn(edges(['a', 'b'], ['b', 'c'], ['a', 'c']))).toEqual([])
    expect(cycleIn(edges(['a', 'b'], ['b', 'c'], ['c', 'b']))).toEqual(['b', 'c', 'b'])
  })
})

/** Returns the first cycle found as a path, or an empty list. */
function cycleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const visited = new Set<string>()
  const walk = (node: string, path: readonly string[]): string[] => {
    const start = path.indexOf(node)
    if (start >= 0) return [...path.slice(start), node]
    if (visited.has(node)) return []
    for (const next of edges.get(node) ?? []) {
      const cycle = walk(next, [...path, node])
      if (cycle.length > 0) return cycle
    }
    visited.add(node)
    return []
  }
  for (const start of edges.keys()) {
    const cycle = walk(start, [])
    if (cycle.length > 0) return cycle
  }
  return []
}
