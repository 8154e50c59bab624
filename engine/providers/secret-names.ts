import type { Json } from '../json.ts'
import { isRawNumber } from '../../domain/run/canonical-json.ts'
import { variablesIn, type Rendered } from './wire/rendering.ts'

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

/**
 * The values of declared headers that are secrets by their name and written in full, without a variable. Each is named
 * after its header.
 */
export const writtenSecrets = (
  headers: Readonly<Record<string, string>>,
): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(headers).flatMap(([header, value]) =>
    isSecretName(header) && variablesIn(value).size === 0 ? [[`header ${header}`, value] as const] : [],
  )

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

/**
 * The parts of a rendered template that a secret variable made, in whatever form: `{{ env.KEY | upper }}`. They are where
 * the sent text differs from the shown one. Names of members are not rendered.
 */
export const renderedSecrets = (template: Json, { sent, shown }: Rendered<Json>): readonly string[] => {
  const found: string[] = []
  const walk = (of: Json, sentPart: Json | undefined, shownPart: Json | undefined): void => {
    if (sentPart === shownPart) return
    if (typeof of === 'string') {
      if (typeof sentPart === 'string' && typeof shownPart === 'string' && [...variablesIn(of)].some(isSecretName))
        found.push(changedPart(sentPart, shownPart))
    } else if (typeof of === 'object' && of !== null && !isRawNumber(of))
      for (const key of Object.keys(of))
        walk(mappingMember(of, key)!, mappingMember(sentPart, key), mappingMember(shownPart, key))
  }
  walk(template, sent, shown)
  return found
}

const mappingMember = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, Json>>)[key] : undefined

/** What remains of `sent` without the start and the end that it shares with `shown`. */
const changedPart = (sent: string, shown: string): string => {
  const length = Math.min(sent.length, shown.length)
  let start = 0
  while (start < length && sent[start] === shown[start]) start++
  let end = 0
  while (end < length - start && sent.at(-1 - end) === shown.at(-1 - end)) end++
  return sent.slice(start, sent.length - end)
}
