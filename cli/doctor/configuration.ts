import { InvalidConfig, readConfig, type Config } from '../serve/config.ts'
import { warnOfConfig } from '../serve/config-warnings.ts'
import { failure, ok, warning, type Finding } from './finding.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Reads the variables as `ers serve` does. `config` is null if it would not start. */
export const checkConfiguration = (
  env: Variables,
  dataDir: string | undefined,
  now: number,
): { readonly config: Config | null; readonly findings: readonly Finding[] } => {
  let config: Config
  try {
    config = readConfig(env, { dataDir })
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error
    const findings = error.message
      .split('\n')
      .map((message) =>
        failure(
          'configuration',
          message,
          'correct the variable or the file, as the user of the service: docs/configuration.md lists all variables',
        ),
      )
    return { config: null, findings }
  }
  const findings: Finding[] = []
  warnOfConfig(env, config, now, (_, message) =>
    findings.push(warning('configuration', message, 'correct the variable, or leave it if it is meant so')),
  )
  if (config.authMode === 'open')
    findings.push(
      warning(
        'configuration',
        'SERVICE_AUTH_MODE is open: anyone who reaches the service may read and write everything',
        'set it to closed, unless the network keeps strangers out',
      ),
    )
  return { config, findings: findings.length > 0 ? findings : [ok('configuration', 'all variables can be used')] }
}
