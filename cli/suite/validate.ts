import { Command } from 'commander'
import { csvHeaderIssues } from '../../engine/data/csv-headers.ts'
import { formatIssue, SuiteError } from '../../engine/suite/issues.ts'
import { loadSuite } from '../../engine/suite/load-suite.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { exitWithEngine } from '../terminal/engine-exit.ts'
import { writeStdout } from '../terminal/stdout.ts'

export const validateCommand = (): Command =>
  withUsageExit(new Command('validate'))
    .argument('[path]', 'the suite file, or a folder with service.yaml', '.')
    .addHelpText(
      'after',
      '\nOf files of tests it reads the column names of CSV alone. It runs no programs. Exit code 0: valid; 2: not valid.',
    )
    .action((path: string) => exitWithEngine(() => validate(path)))

const validate = async (path: string): Promise<number> => {
  const loaded = await loadSuite(path, { env: process.env })
  const { file, suite } = loaded
  const warnings = [...loaded.warnings, ...(await csvHeaderIssues(loaded))]
  if (warnings.some(({ severity }) => severity === 'error')) throw new SuiteError(warnings)
  for (const warning of warnings) console.error(formatIssue(warning))
  const counts = `${suite.providers.length} provider(s), ${suite.prompts.length} prompt(s), ${suite.tests.length} test source(s)`
  await writeStdout(`ok: ${file} — ${counts}${warnings.length === 0 ? '' : ` (${warnings.length} warning(s))`}\n`)
  return 0
}
