import { Command } from 'commander'
import { formatIssue } from '../../engine/suite/issues.ts'
import { loadSuite } from '../../engine/suite/load-suite.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { exitWithEngine } from '../terminal/engine-exit.ts'
import { writeStdout } from '../terminal/stdout.ts'

export const validateCommand = (): Command =>
  withUsageExit(new Command('validate'))
    .argument('[path]', 'the suite file, or a folder with service.yaml', '.')
    .addHelpText('after', '\nReads no files of tests and runs no programs. Exit code 0: valid; 2: not valid.')
    .action((path: string) => exitWithEngine(() => validate(path)))

const validate = async (path: string): Promise<number> => {
  const { file, suite, warnings } = await loadSuite(path, { env: process.env })
  for (const warning of warnings) console.error(formatIssue(warning))
  const counts = `${suite.providers.length} provider(s), ${suite.prompts.length} prompt(s), ${suite.tests.length} test source(s)`
  await writeStdout(`ok: ${file} — ${counts}${warnings.length === 0 ? '' : ` (${warnings.length} warning(s))`}\n`)
  return 0
}
