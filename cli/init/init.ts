import { existsSync } from 'node:fs'
import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { SCHEMA_FILE } from '../../engine/convert/schema-hint.ts'
import { HarnessError, UsageError } from '../../engine/json.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { packageFile } from '../../storage/disk/package-file.ts'
import { exitWithEngine } from '../terminal/engine-exit.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { firstSuite } from './first-suite.ts'
import { LANGUAGES, PROGRAMS, type Language } from './programs.ts'

type Options = { readonly language: Language }

export const initCommand = (): Command =>
  withUsageExit(new Command('init'))
    .argument('[dir]', 'the folder of the suite; made if it is missing', '.')
    .addOption(new Option('--language <language>', 'the language of the program').choices(LANGUAGES).default('node'))
    .addHelpText('after', '\nNo file is overwritten: exit code 2 if one is there already.')
    .action((directory: string, options: Options) => exitWithEngine(() => writeSuite(directory, options.language)))

const writeSuite = async (directory: string, language: Language): Promise<number> => {
  const program = PROGRAMS[language]
  const files = [
    { name: 'service.yaml', text: firstSuite(program.command) },
    { name: program.file, text: program.text },
  ]
  // A suite of either name would be there already: `ers run` prefers service.yaml.
  const names = [...files.map(({ name }) => name), 'service.yml']
  const taken = await asyncFilter(names, (name) => exists(join(directory, name)))
  if (taken.length > 0)
    throw new UsageError(
      `already there, and never overwritten: ${taken.map((name) => join(directory, name)).join(', ')}`,
    )
  const ignore = await ignoreFile(directory)
  const written = [
    ...files,
    ...(await schemaFile(directory)),
    ...(ignore.text === null ? [] : [{ name: '.gitignore', text: ignore.text }]),
  ]
  try {
    await mkdir(directory, { recursive: true })
    // One after the other, so that a fault leaves at most one file half written. `wx` fails if a file is there now.
    for (const { name, text } of written) await writeFile(join(directory, name), text, { flag: 'wx' })
  } catch (error) {
    throw new HarnessError(`${directory}: cannot be written: ${(error as Error).message}`, { cause: error })
  }
  await writeStdout(
    report(
      directory,
      written.map(({ name }) => name),
      `${ignore.advice}${await storeAdvice(directory)}`,
    ),
  )
  return 0
}

/** The schema that the first line of the suite names. One that is there already is left as it is. */
const schemaFile = async (
  directory: string,
): Promise<ReadonlyArray<{ readonly name: string; readonly text: string }>> => {
  if (await exists(join(directory, SCHEMA_FILE))) return []
  // Loaded on demand: the schema comes with the tables that it is made from.
  const { suiteSchema } = await import('../../engine/suite/suite-schema.ts')
  return [{ name: SCHEMA_FILE, text: `${JSON.stringify(suiteSchema(), null, 2)}\n` }]
}

/** `.service/` holds the cache and the results of runs. An ignore file that is there already is left as it is. */
const ignoreFile = async (directory: string): Promise<{ readonly text: string | null; readonly advice: string }> => {
  const path = join(directory, '.gitignore')
  if (!(await exists(path))) return { text: '.service/\n', advice: '' }
  return {
    text: null,
    advice: (await isListed(path)) ? '' : `add .service/ to ${path}: the cache and the results are stored there\n`,
  }
}

/** Runs are stored below the folder in which `ers run` starts, which the ignore file of another folder does not cover. */
const storeAdvice = async (directory: string): Promise<string> => {
  if (resolve(directory) === process.cwd()) return ''
  const isCovered = (await exists('.gitignore')) && (await isListed('.gitignore'))
  return isCovered
    ? ''
    : 'runs started here are stored in .service/ of this folder: add .service/ to the .gitignore here\n'
}

const isListed = async (path: string): Promise<boolean> => {
  const lines = (await readFile(path, 'utf8')).split(/\r?\n/)
  return lines.some((line) => /^\/?\.service\/?$/.test(line.trim()))
}

/** How the program is called: by npx in a clone, which has its sources, else by its name. At npm that name is another's. */
const ERS = existsSync(packageFile('cli/ers.ts')) ? 'npx ers' : 'ers'

const report = (directory: string, names: readonly string[], advice: string): string => {
  const argument = directory === '.' ? '' : ` ${/^[\w./-]+$/.test(directory) ? directory : `"${directory}"`}`
  const commands = [
    [`${ERS} validate${argument}`, 'checks the suite'],
    [`${ERS} run${argument}`, 'runs it'],
    [`${ERS} view`, 'shows the last run again'],
  ] as const
  const width = Math.max(...commands.map(([command]) => command.length))
  const next = commands.map(([command, what]) => `  ${command.padEnd(width)}   # ${what}\n`).join('')
  return `wrote ${names.map((name) => join(directory, name)).join(', ')}\n${advice}\nNext:\n${next}`
}

const exists = async (path: string): Promise<boolean> => {
  try {
    await lstat(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    throw new UsageError(`${path}: ${(error as Error).message}`, { cause: error })
  }
}

const asyncFilter = async (
  names: readonly string[],
  test: (name: string) => Promise<boolean>,
): Promise<readonly string[]> => {
  const kept = await Promise.all(names.map(test))
  return names.filter((_name, index) => kept[index])
}
