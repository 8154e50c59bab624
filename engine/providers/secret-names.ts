import type { Json } from '../json.ts'
import { variablesIn } from './wire/rendering.ts'

const SECRET_NAME = /auth|cookie|credential|key|passw|secret|session|signature|token/i

/** Variables that programs get without being secrets. */
const ORDINARY_VARIABLE =
  /^(?:HOME|USER|USERNAME|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TERM|PWD|TMPDIR|TEMP|TMP|PATH|NODE_ENV|NODE_PATH|PYTHONPATH|\w+_(?:URL|HOST|PORT|REGION|DIR))$/i

/**
 * Whether the name of a variable or a header says that its value is a secret. Values of other variables are ordinary
 * text, such as a region: to replace them would change prompts and outputs that contain the same word.
 */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

/** The variables of `pass_env` whose values are secrets: all but those that are ordinary on every machine. */
export const secretPassed = (names: readonly string[]): readonly string[] =>
  names.filter((name) => isSecretName(name) || !ORDINARY_VARIABLE.test(name))

/** The variables in the templates of a request whose values are secrets: by their name or that of their header. */
export const secretVariablesIn = (
  headers: Readonly<Record<string, string>>,
  others: readonly Json[],
): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const [header, template] of Object.entries(headers))
    for (const name of variablesIn(template)) if (isSecretName(header) || isSecretName(name)) names.add(name)
  for (const name of variablesIn(others)) if (isSecretName(name)) names.add(name)
  return names
}

/** The declared headers whose rendered value contains a secret. `templates` are the headers as they are written. */
export const secretHeaders = (
  templates: Readonly<Record<string, string>>,
  rendered: Readonly<Record<string, string>>,
): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(rendered).filter(([name]) => {
    const template = templates[name] ?? ''
    const variables = [...variablesIn(template)]
    return variables.length > 0 && (isSecretName(name) || variables.some(isSecretName))
  })
