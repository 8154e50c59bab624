import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The cells of a table of the page about the architecture: what stands in backticks in each, row by row. */
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

/** What the files of a room may import, as patterns of paths: for use, and besides that as types alone. */
type Room = { readonly name: string; readonly use: readonly string[]; readonly types: readonly string[] }
const ROOMS: readonly Room[] = tableAfter('Room').map(([[name = ''] = [], , , use = [], types = []]) => ({
  name,
  use,
  types,
}))
/** The same for the folders of the storage, by name. */
const STORAGE: ReadonlyMap<string, readonly string[]> = new Map(
  tableAfter('Folder of `storage`').flatMap(([names = [], use = []]) => names.map((name) => [name, use] as const)),
)
const isOneOf = (file: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => matchesGlob(file, pattern))

type Import = { readonly from: string; readonly to: string; readonly typesOnly: boolean }

const folderOf = (file: string): string => file.split('/')[0] ?? ''

/** The TypeScript of a file; of a component its script. */
const scriptOf = (file: string): string => {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return file.endsWith('.vue') ? (/<script[^>]*>([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '') : text
}

/** Every import and re-export of a file, dynamic ones too, as the compiler reads them. */
const importsOf = (file: string): Import[] => {
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, typesOnly: boolean): void => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return
    const to = specifier.text.startsWith('.')
      ? relative(ROOT, join(ROOT, dirname(file), specifier.text))
      : specifier.text
    found.push({ from: file, to, typesOnly })
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
  return found
}

const files = ROOMS.flatMap(({ name: room }) =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((name) => `${room}/${name}`),
).filter((file) => /\.(?:ts|vue)$/.test(file) && !file.endsWith('.d.ts') && !file.startsWith('webapp/dist/'))
const imports = files.flatMap(importsOf)
const isOurs = (path: string): boolean => ROOMS.some(({ name }) => name === folderOf(path))
const ours = imports.filter(({ to }) => isOurs(to))

const told = ({ from, to, typesOnly }: Import): string => `${from} → ${to}${typesOnly ? ' (types)' : ''}`

describe('the imports', () => {
  it('are those of the whole service, types told from the rest', () => {
    expect(files.length).toBeGreaterThan(80)
    expect(ours.map(told)).toEqual(
      expect.arrayContaining([
        'commands/run/ingest-run.ts → domain/run/prepare.ts',
        'commands/run/ingest-run.ts → domain/run/prepare.ts (types)',
        'cli/ers.ts → cli/serve/serve.ts',
        'http/services.ts → runtime/services.ts (types)',
      ]),
    )
  })

  it.each(ROOMS)('of $name go only where they may', ({ name, use, types }) => {
    const stray = ours
      .filter(({ from, to }) => folderOf(from) === name && folderOf(to) !== name)
      .filter(({ to, typesOnly }) => !isOneOf(to, typesOnly ? [...use, ...types] : use))
    expect(stray.map(told)).toEqual([])
  })

  it('of a folder of the storage go only where they may', () => {
    const within = ours.filter(({ from, to }) => folderOf(from) === 'storage' && folderOf(to) === 'storage')
    const folders = new Set(
      within.map(({ from }) => from.split('/')).flatMap(({ length, 1: folder = '' }) => (length > 2 ? [folder] : [])),
    )
    expect([...folders].filter((folder) => !STORAGE.has(folder))).toEqual([])
    const stray = within.filter(({ from, to }) => {
      const [, folder = '', file] = from.split('/')
      return !isOneOf(to.slice('storage/'.length), file === undefined ? ['*.ts'] : (STORAGE.get(folder) ?? []))
    })
    expect(stray.map(told)).toEqual([])
  })

  it('name files that are there, with their ending', () => {
    const known = new Set(files)
    expect(ours.filter(({ to }) => !known.has(to) && !to.endsWith('.css')).map(told)).toEqual([])
  })

  it('go to no specification and to nothing outside of the service', () =>
    expect(imports.filter(({ to }) => /^(\.\.|spec\/|bench\/)/.test(to)).map(told)).toEqual([]))

  it('go to the web app from nowhere else', () =>
    expect(ours.filter(({ from, to }) => folderOf(to) === 'webapp' && folderOf(from) !== 'webapp').map(told)).toEqual(
      [],
    ))

  it('reach the database from the storage alone', () => {
    const reaching = imports
      .filter(({ to }) => ['better-sqlite3', 'pg', 'slonik'].includes(to))
      .map(({ from }) => folderOf(from))
    expect([...new Set(reaching)].filter((folder) => folder !== 'storage')).toEqual([])
  })

  it('keep the domain free of files, sockets, threads and packages', () => {
    const allowed = ['node:crypto', 'node:buffer', 'node:zlib', 'canonicalize', 'zod']
    expect(
      imports
        .filter(({ from, to }) => folderOf(from) === 'domain' && folderOf(to) !== 'domain' && !allowed.includes(to))
        .map(told),
    ).toEqual([])
  })

  it('make no circle between files, types included', () => {
    const edges = new Map<string, Set<string>>()
    for (const { from, to } of ours) if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to))
    expect(cycleIn(edges)).toEqual([])
  })
})

/** Every folder of the code and its specifications with the number of its files; data and what is built are no code. */
const foldersOf = (folder: string): Array<{ readonly folder: string; readonly files: number }> => {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true })
  const inner = entries.filter((entry) => entry.isDirectory() && !['dist', 'data', 'node_modules'].includes(entry.name))
  return [
    { folder, files: entries.filter((entry) => entry.isFile()).length },
    ...inner.flatMap(({ name }) => foldersOf(`${folder}/${name}`)),
  ]
}

describe('the rooms', () => {
  const rooms = [...ROOMS.map(({ name }) => name), 'spec', 'bench']

  it('have at most 16 files in a folder', () =>
    expect(rooms.flatMap(foldersOf).filter(({ files }) => files > 16)).toEqual([]))

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
    const made = new Map<string, Set<string>>()
    for (const [a, b] of pairs) made.set(a, (made.get(a) ?? new Set()).add(b))
    return made
  }
  it('finds one, and none where there is none', () => {
    expect(cycleIn(edges(['a', 'b'], ['b', 'c'], ['a', 'c']))).toEqual([])
    expect(cycleIn(edges(['a', 'b'], ['b', 'c'], ['c', 'b']))).toEqual(['b', 'c', 'b'])
  })
})

/** The first cycle found, as the way around it; empty where there is none. */
function cycleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>()
  const walk = (at: string, way: readonly string[]): string[] => {
    const seen = way.indexOf(at)
    if (seen >= 0) return [...way.slice(seen), at]
    if (done.has(at)) return []
    for (const next of edges.get(at) ?? []) {
      const found = walk(next, [...way, at])
      if (found.length > 0) return found
    }
    done.add(at)
    return []
  }
  for (const start of edges.keys()) {
    const found = walk(start, [])
    if (found.length > 0) return found
  }
  return []
}
