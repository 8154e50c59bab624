import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = ['commands', 'projections', 'queries', 'storage', 'engine', 'http', 'cli', 'webapp'] as const
type Folder = (typeof FOLDERS)[number]

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

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
).filter((file) => /\.(?:ts|vue)$/.test(file) && !file.endsWith('.d.ts') && !file.startsWith('webapp/dist/'))
const imports = files.flatMap(importsOf)
const ours = imports.filter(({ to }) => (FOLDERS as readonly string[]).includes(folderOf(to)))

/** What of the storage knows no database: any part may build on it. */
const PURE_STORAGE = [
  'sql.ts',
  'storage.ts',
  'event-log.ts',
  'document-frames.ts',
  'log-reader.ts',
  'log-head.ts',
  'search.ts',
  'steps.ts',
  'cache-counts.ts',
  'cache-entries.ts',
  'cache-search.ts',
  'cache-selection.ts',
].map((file) => `storage/${file}`)

const inside =
  (...folders: readonly Folder[]) =>
  (file: string): boolean =>
    (folders as readonly string[]).includes(folderOf(file))
const oneOf =
  (...known: readonly string[]) =>
  (file: string): boolean =>
    known.includes(file)
const events = (file: string): boolean => /^commands\/[^/]+\/events\.ts$/.test(file)

/** What files of a folder may import: for use, and besides that as types alone. */
const MAY: Record<
  Folder,
  { readonly use: ReadonlyArray<(file: string) => boolean>; readonly types: ReadonlyArray<(file: string) => boolean> }
> = {
  commands: { use: [inside('queries', 'engine'), oneOf(...PURE_STORAGE)], types: [] },
  projections: {
    use: [events, inside('engine'), oneOf(...PURE_STORAGE, 'queries/visible.ts', 'queries/cases.ts')],
    types: [oneOf('commands/index.ts')],
  },
  queries: { use: [inside('engine'), oneOf(...PURE_STORAGE)], types: [] },
  storage: { use: [], types: [] },
  engine: { use: [], types: [] },
  // The error of a busy store is told apart here.
  http: { use: [inside('commands', 'queries', 'engine'), oneOf('storage/storage.ts')], types: [inside('storage')] },
  cli: { use: [inside(...FOLDERS)], types: [] },
  // What a browser needs of these is pure, and would else be written twice.
  webapp: { use: [oneOf('engine/statistics.ts', 'queries/viewer.ts')], types: [inside('queries')] },
}

const told = ({ from, to, typesOnly }: Import): string => `${from} → ${to}${typesOnly ? ' (types)' : ''}`

describe('the imports', () => {
  it('are those of the whole service, types told from the rest', () => {
    expect(files.length).toBeGreaterThan(80)
    expect(ours.map(told)).toEqual(
      expect.arrayContaining([
        'commands/run/ingest-run.ts → engine/prepare-run.ts',
        'commands/run/ingest-run.ts → engine/prepare-run.ts (types)',
        'cli/ers.ts → cli/serve.ts',
        'http/services.ts → storage/storage.ts (types)',
      ]),
    )
  })

  it.each(FOLDERS)('of %s go only where they may', (folder) => {
    const { use, types } = MAY[folder]
    const stray = ours
      .filter(({ from, to }) => folderOf(from) === folder && folderOf(to) !== folder)
      .filter(({ to, typesOnly }) => ![...use, ...(typesOnly ? types : [])].some((may) => may(to)))
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

  it('reach the database from the storage and the command line alone', () => {
    const reaching = imports
      .filter(({ to }) => ['better-sqlite3', 'pg', 'slonik'].includes(to))
      .map(({ from }) => folderOf(from))
    expect([...new Set(reaching)].filter((folder) => folder !== 'storage' && folder !== 'cli')).toEqual([])
  })

  it('keep the engine free of files, sockets, threads and packages', () => {
    const allowed = ['node:crypto', 'node:buffer', 'node:zlib', 'canonicalize', 'zod']
    expect(
      imports
        .filter(({ from, to }) => folderOf(from) === 'engine' && folderOf(to) !== 'engine' && !allowed.includes(to))
        .map(told),
    ).toEqual([])
  })

  it('make no cycle between folders, but for types', () => {
    const edges = new Map<string, Set<string>>()
    for (const { from, to, typesOnly } of ours) {
      const [a, b] = [folderOf(from), folderOf(to)]
      if (a !== b && !typesOnly) edges.set(a, (edges.get(a) ?? new Set()).add(b))
    }
    expect(cycleIn(edges)).toEqual([])
  })

  it('make no cycle between files, but for types', () => {
    const edges = new Map<string, Set<string>>()
    for (const { from, to, typesOnly } of ours) if (!typesOnly) edges.set(from, (edges.get(from) ?? new Set()).add(to))
    expect(cycleIn(edges)).toEqual([])
  })
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
