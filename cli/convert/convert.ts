import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { convertPromptfoo } from '../../engine/convert/promptfoo/convert.ts'
import { parseYaml } from '../../engine/convert/promptfoo/yaml.ts'
import { suiteText } from '../../engine/convert/suite-text.ts'
import { UsageError, type Json } from '../../engine/json.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { exitWithEngine } from '../terminal/engine-exit.ts'
import { writeStdout } from '../terminal/stdout.ts'

export const convertCommand = (): Command =>
  withUsageExit(new Command('convert')).addCommand(
    withUsageExit(new Command('promptfoo'))
      .description('print a suite made from a promptfoo configuration, or from the configuration in a promptfoo result')
      .argument('<file>', 'promptfooconfig.yaml, or a configuration or result in JSON')
      .addHelpText(
        'after',
        '\nComments that begin with NOTE name everything that was dropped or guessed. Save the suite as service.yaml in the same folder.',
      )
      .action((file: string) => exitWithEngine(() => convertFile(file))),
  )

/** Prints the suite that a file of promptfoo becomes. Returns the exit code. Throws `UsageError`. */
export const convertFile = async (file: string): Promise<number> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${file}: cannot be read: ${(error as Error).message}`)
  })
  try {
    const { suite, notes } = convertPromptfoo(parseConfiguration(text), textBelow(dirname(file)))
    await writeStdout(suiteText(suite, basename(file), notes))
    return 0
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${file}: ${error.message}`) : error
  }
}

/** Reads files by their path from a folder. A file that cannot be read is null: the conversion notes it. */
const textBelow =
  (directory: string) =>
  (path: string): string | null => {
    try {
      return readFileSync(resolve(directory, path), 'utf8')
    } catch {
      return null
    }
  }

const parseConfiguration = (text: string): Json => {
  try {
    return parseYaml(text)
  } catch (error) {
    throw new UsageError(`is neither YAML nor JSON: ${(error as Error).message}`)
  }
}
