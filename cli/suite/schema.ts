import { Argument, Command } from 'commander'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { exitWithEngine } from '../terminal/engine-exit.ts'
import { writeStdout } from '../terminal/stdout.ts'

const SUBJECTS = ['config', 'result'] as const

export const schemaCommand = (): Command =>
  withUsageExit(new Command('schema'))
    .addArgument(new Argument('<subject>', 'config: a suite file; result: a run document').choices(SUBJECTS))
    .addHelpText(
      'after',
      '\nFor completion in editors, save the schema of a suite and name it in the first line of service.yaml:\n# yaml-language-server: $schema=suite.schema.json',
    )
    .action((subject: (typeof SUBJECTS)[number]) =>
      exitWithEngine(async () => {
        await writeStdout(`${JSON.stringify(await loadSchema(subject), null, 2)}\n`)
        return 0
      }),
    )

// Loaded on demand: each schema comes with the tables that it is made from.
const loadSchema = async (subject: (typeof SUBJECTS)[number]): Promise<object> =>
  subject === 'config'
    ? (await import('../../engine/suite/suite-schema.ts')).suiteSchema()
    : (await import('../../domain/document-format/schema.ts')).documentSchema()
