import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { fileAt, filesBelow, inFolder, inOrder, textFile, type PackedFile } from './files.ts'
import { tarGz } from './tar.ts'

const TYPESCRIPT = 'clients/typescript'
const PYTHON = 'clients/python'

/** The package of the TypeScript client for npm: compiled, with its types. `tsc` compiles it into a folder of its own. */
export const typescriptClient = (checkout: string): PackedFile[] => {
  const output = mkdtempSync(join(tmpdir(), 'ers-client-'))
  try {
    const compiler = join(checkout, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [compiler, '-p', join(checkout, TYPESCRIPT), '--outDir', output], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const manifest = JSON.parse(readFileSync(join(checkout, TYPESCRIPT, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >
    const { scripts: _scripts, devDependencies: _tools, ...published } = manifest
    return inFolder('package', [
      ...inFolder('dist', filesBelow(output, '.')),
      fileAt(checkout, `${TYPESCRIPT}/README.md`, 'README.md'),
      fileAt(checkout, 'LICENSE'),
      textFile('package.json', `${JSON.stringify(published, null, 2)}\n`),
    ])
  } finally {
    rmSync(output, { recursive: true })
  }
}

/** What of pyproject.toml a distribution repeats. A spec reads the file with Python, and compares. */
const readProject = (checkout: string) => {
  const text = readFileSync(join(checkout, PYTHON, 'pyproject.toml'), 'utf8')
  const field = (name: string): string => {
    const value = new RegExp(`^${name} = "([^"]*)"$`, 'm').exec(text)?.[1]
    if (value === undefined) throw new Error(`pyproject.toml has no ${name}`)
    return value
  }
  const list = (name: string): string[] => {
    const items = new RegExp(`^${name} = \\[([^\\]]*)\\]$`, 'm').exec(text)?.[1]
    if (items === undefined) throw new Error(`pyproject.toml has no ${name}`)
    return [...items.matchAll(/"([^"]*)"/g)].map(([, item = '']) => item)
  }
  return {
    name: field('name'),
    version: field('version'),
    summary: field('description'),
    license: field('license'),
    python: field('requires-python'),
    frame: list('frame'),
    classifiers: list('classifiers'),
    plugin: field('ers'),
  }
}
type Project = ReturnType<typeof readProject>

/** The metadata of a distribution (core metadata 2.4 of the Python Packaging Authority). */
const metadata = (project: Project, readme: string): string =>
  `${[
    'Metadata-Version: 2.4',
    `Name: ${project.name}`,
    `Version: ${project.version}`,
    `Summary: ${project.summary}`,
    `License-Expression: ${project.license}`,
    'License-File: LICENSE',
    ...project.classifiers.map((each) => `Classifier: ${each}`),
    `Requires-Python: ${project.python}`,
    'Provides-Extra: frame',
    ...project.frame.map((each) => `Requires-Dist: ${each}; extra == "frame"`),
    'Description-Content-Type: text/markdown',
  ].join('\n')}\n\n${readme}`

/** The name of a distribution in the names of its files: with underscores. */
const fileName = ({ name, version }: Project): string => `${name.replaceAll('-', '_')}-${version}`

const pythonFiles = (checkout: string): PackedFile[] =>
  filesBelow(checkout, `${PYTHON}/src`, (path) => /\.py$|\/py\.typed$/.test(path)).map((file) => ({
    ...file,
    path: file.path.slice(`${PYTHON}/src/`.length),
  }))

/** The time of all files of a wheel, in the time of the machine, as the format of zip has it: so it is the same everywhere. */
const ZIP_TIME = new Date(1980, 0, 1)

/** The zip archive of files, of one order, time and mode. */
const zip = (files: readonly PackedFile[]): Uint8Array =>
  zipSync(Object.fromEntries(files.map(({ path, bytes }) => [path, bytes])), {
    level: 9,
    mtime: ZIP_TIME,
    os: 3,
    attrs: 0o100_644 * 0x1_0000,
  })

/** A line of RECORD: the path, the digest and the length of a file. */
const recordLine = ({ path, bytes }: PackedFile): string =>
  `${path},sha256=${createHash('sha256').update(bytes).digest('base64url')},${bytes.length}\n`

/** The distributions of the Python client by their names: a wheel (PEP 427) and the sources (PEP 625). */
export const pythonClient = (checkout: string, seconds: number): Map<string, Uint8Array> => {
  const project = readProject(checkout)
  const name = fileName(project)
  const described = metadata(project, readFileSync(join(checkout, PYTHON, 'README.md'), 'utf8'))
  const modules = pythonFiles(checkout)
  const info = `${name}.dist-info`
  const content = inOrder([
    ...modules,
    ...inFolder(info, [
      textFile('METADATA', described),
      textFile('WHEEL', 'Wheel-Version: 1.0\nGenerator: npm run release\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
      textFile('entry_points.txt', `[pytest11]\ners = ${project.plugin}\n`),
      fileAt(checkout, 'LICENSE', 'licenses/LICENSE'),
    ]),
  ])
  const record = textFile(`${info}/RECORD`, `${content.map(recordLine).join('')}${info}/RECORD,,\n`)
  const sources = inFolder(name, [
    ...inFolder('src', modules),
    textFile('PKG-INFO', described),
    fileAt(checkout, 'LICENSE'),
    ...['README.md', 'pyproject.toml'].map((path) => fileAt(checkout, `${PYTHON}/${path}`, path)),
  ])
  return new Map([
    [`${name}-py3-none-any.whl`, zip([...content, record])],
    [`${name}.tar.gz`, tarGz(sources, seconds)],
  ])
}
