import { readSuiteFile, SuiteFileError } from '../../data/suite-files.ts'
import type { Json, JsonObject } from '../../json.ts'
import { isFileText, isFileValue, pathIn } from '../file-reference.ts'
import { child, keyPath, type Path } from '../issues.ts'
import { didYouMean, quotedNames } from '../../../domain/text/nearest.ts'
import type {
  AssertionSpec,
  GraderSpec,
  History,
  PromptSpec,
  ProviderSpec,
  RequestSpec,
  Suite,
  Turn,
} from '../suite.ts'
import { hasKey, isList, isMapping } from '../values.ts'

/** Faults of one kind that are reported; thousands of them would hide all others. */
const MAX_WARNINGS = 20

/**
 * Regular expressions that compile for certain: plain characters, simple classes, one quantifier each. To compile 10,000
 * would take a second.
 */
const PLAIN_REGEX = /^\^?(?:(?:[^\\[\](){}*+?|^$]|\\[dDwWsS.]|\[\^?(?:a-z|A-Z|0-9|[\w ,.])+\])[*+?]?|\|){0,1000}\$?$/

/** A kind of text: why one of them cannot be used, or null. */
type FaultOf = (text: string) => string | null

type Compilers = {
  readonly templateFault: FaultOf
  readonly expressionFault: FaultOf
  readonly regexFault: FaultOf
}

/** What a check of contents asks of the texts of a suite. Every distinct text is looked at once, at its first place. */
type Texts = {
  /** A template. */
  readonly template: (text: string, at: Path) => void
  /** All texts in a value, at any depth: templates. */
  readonly leaves: (value: Json | undefined, at: Path) => void
  /** A template, or a `file://` reference to one. */
  readonly templateOrFile: (text: string, at: Path) => void
  /** A `file://` reference to a file that is no template. */
  readonly file: (reference: string, at: Path) => void
  readonly expression: (text: string, at: Path) => void
  readonly regex: (text: string, at: Path) => void
}

/**
 * Warns of what would only fail when cells run: templates, expressions and regular expressions that do not compile,
 * `file://` references to files that cannot be read, graded assertions without a grader, and ids of providers that the
 * suite lacks. `directory` is the folder of the suite. Tests of files and programs are not read.
 */
export const checkContents = async (
  suite: Suite,
  directory: string,
  warning: (at: Path, message: string) => void,
): Promise<void> => {
  const compilers = await loadCompilers()
  const warn = limited(warning)
  const references = new Map<string, { readonly at: Path; readonly isTemplate: boolean }>()
  const texts = checkedTexts(compilers, warn, (reference, at, isTemplate) => {
    if (!references.has(reference)) references.set(reference, { at, isTemplate })
  })

  for (const [index, provider] of suite.providers.entries()) checkProvider(provider, keyPath('providers', index), texts)
  for (const [index, prompt] of suite.prompts.entries()) checkPrompt(prompt, keyPath('prompts', index), texts)
  if (suite.grader !== undefined) checkGrader(suite.grader, keyPath('grader'), texts)
  checkTests(suite, texts, warn)
  for (const [reference, { at, isTemplate }] of references) {
    const fault = await fileFault(directory, reference, isTemplate ? compilers.templateFault : () => null)
    if (fault !== null) warn('file', at, fault)
  }
  warn.end()
}

// Loaded on demand: `list providers` of a suite with errors needs none of them.
const loadCompilers = async (): Promise<Compilers> => {
  const [{ templateFault, expressionFault }, { compileRegex, InvalidRegex }] = await Promise.all([
    import('../../templates/template-fault.ts'),
    import('../../text/regex.ts'),
  ])
  return {
    templateFault,
    expressionFault,
    regexFault: (pattern) => {
      if (PLAIN_REGEX.test(pattern)) return null
      try {
        compileRegex(pattern)
        return null
      } catch (error) {
        if (error instanceof InvalidRegex) return error.message
        throw error
      }
    },
  }
}

type Warn = ((kind: string, at: Path, message: string) => void) & { readonly end: () => void }

/** Reports at most `MAX_WARNINGS` of a kind; `end` says how many more there are. */
const limited = (warning: (at: Path, message: string) => void): Warn => {
  const counts = new Map<string, number>()
  const warn = (kind: string, at: Path, message: string): void => {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    if (count <= MAX_WARNINGS) warning(at, message)
  }
  const end = (): void => {
    for (const [kind, count] of counts)
      if (count > MAX_WARNINGS) warning(null, `${count - MAX_WARNINGS} more warnings of this kind: ${kind}`)
  }
  return Object.assign(warn, { end })
}

const checkedTexts = (
  { templateFault, expressionFault, regexFault }: Compilers,
  warn: Warn,
  refer: (reference: string, at: Path, isTemplate: boolean) => void,
): Texts => {
  const once = (kind: string, what: string, faultOf: FaultOf): ((text: string, at: Path) => void) => {
    const seen = new Set<string>()
    return (text, at) => {
      if (seen.has(text)) return
      seen.add(text)
      const fault = faultOf(text)
      if (fault !== null) warn(kind, at, `${what}: ${fault}`)
    }
  }
  const ofTemplate = once('template', 'the template does not compile', templateFault)
  const template = (text: string, at: Path): void => {
    if (text.includes('{')) ofTemplate(text, at)
  }
  const leaves = (value: Json | undefined, at: Path): void => {
    if (typeof value === 'string') template(value, at)
    else if (isList(value)) for (let index = 0; index < value.length; index++) leaves(value[index], child(at, index))
    else if (isMapping(value)) for (const key of Object.keys(value)) leaves((value as JsonObject)[key], child(at, key))
  }
  return {
    template,
    leaves,
    templateOrFile: (text, at) => (isFileText(text) ? refer(text, at, true) : template(text, at)),
    file: (reference, at) => refer(reference, at, false),
    expression: once('expression', 'the expression does not compile', expressionFault),
    regex: once('regex', 'the regular expression does not compile', regexFault),
  }
}

const fileFault = async (directory: string, reference: string, faultOf: FaultOf): Promise<string | null> => {
  try {
    const fault = faultOf(await readSuiteFile(directory, reference))
    return fault === null ? null : `the template in ${pathIn(reference)} does not compile: ${fault}`
  } catch (error) {
    if (error instanceof SuiteFileError) return error.message
    throw error
  }
}

const checkRequest = ({ path, query, headers, body }: RequestSpec, at: Path, texts: Texts): void => {
  if (path !== undefined) texts.template(path, child(at, 'path'))
  texts.leaves(query, child(at, 'query'))
  texts.leaves(headers, child(at, 'headers'))
  texts.leaves(body, child(at, 'body'))
}

const checkProvider = (provider: ProviderSpec, at: Path, texts: Texts): void => {
  if (provider.type === 'exec') return
  if (provider.type !== 'http') return checkRequest(provider.request, child(at, 'request'), texts)
  const { url, headers, body, output_expr } = provider
  texts.template(url, child(at, 'url'))
  texts.leaves(headers, child(at, 'headers'))
  texts.leaves(body, child(at, 'body'))
  if (output_expr !== undefined) texts.expression(output_expr, child(at, 'output_expr'))
}

const checkGrader = ({ provider, template }: GraderSpec, at: Path, texts: Texts): void => {
  checkRequest(provider.request, child(child(at, 'provider'), 'request'), texts)
  if (template !== undefined) texts.file(template, child(at, 'template'))
}

const checkPrompt = (prompt: PromptSpec, at: Path, texts: Texts): void => {
  if ('template' in prompt) texts.templateOrFile(prompt.template, child(at, 'template'))
  else
    for (const [index, message] of prompt.messages.entries())
      if (message !== 'history') checkTurn(message, child(child(at, 'messages'), index), texts)
}

const checkTurn = ({ content, tool_calls = [] }: Turn, at: Path, texts: Texts): void => {
  const inContent = child(at, 'content')
  if (typeof content === 'string') texts.templateOrFile(content, inContent)
  else
    for (const [index, block] of (content ?? []).entries())
      if (block.type === 'text') texts.templateOrFile(block.text, child(child(inContent, index), 'text'))
  for (const [index, { arguments: args }] of tool_calls.entries())
    texts.leaves(args, child(child(child(at, 'tool_calls'), index), 'arguments'))
}

const checkHistory = (history: History | undefined, at: Path, texts: Texts): void => {
  if (typeof history === 'string') texts.file(history, at)
  else for (const [index, turn] of (history ?? []).entries()) checkTurn(turn, child(at, index), texts)
}

const checkVars = (vars: JsonObject, at: Path, texts: Texts): void => {
  for (const name of Object.keys(vars)) {
    const value = vars[name]
    if (isFileValue(value) || (isMapping(value) && hasKey(value, '$raw'))) continue
    texts.leaves(value, child(at, name))
  }
}

const checkTests = (suite: Suite, texts: Texts, warn: Warn): void => {
  const missing = new Set<string>()
  const once = (kind: string, at: Path, message: string): void => {
    if (!missing.has(message)) warn(kind, at, message)
    missing.add(message)
  }
  const hasEmbeddings = suite.providers.some(({ type }) => type === 'embeddings')
  const needs = ({ kind, grader }: AssertionSpec, at: Path): void => {
    if (kind === 'llm-rubric' && grader === undefined && suite.grader === undefined)
      once('grader', at, 'no grader is configured: `llm-rubric` needs a `grader` block, in the suite or of its own')
    if (kind === 'similar' && !hasEmbeddings)
      once('grader', at, 'no provider of type `embeddings` is configured: `similar` needs one')
  }
  const check = (assertions: readonly AssertionSpec[], at: Path): void => {
    for (let index = 0; index < assertions.length; index++) {
      const place = child(at, index)
      needs(assertions[index]!, place)
      checkAssertion(assertions[index]!, place, texts)
    }
  }

  const { defaults } = suite
  if (defaults !== undefined) {
    checkVars(defaults.vars, keyPath('defaults', 'vars'), texts)
    check(defaults.assert, keyPath('defaults', 'assert'))
    checkHistory(defaults.history, keyPath('defaults', 'history'), texts)
  }
  const ids = suite.providers.map(({ id }) => id)
  const known = new Set(ids)
  for (const [index, source] of suite.tests.entries()) {
    if (source.kind !== 'inline') continue
    const at = keyPath('tests', index)
    const { test } = source
    checkVars(test.vars, child(at, 'vars'), texts)
    texts.leaves(test.matrix, child(at, 'matrix'))
    if (test.matrix_id !== undefined) texts.template(test.matrix_id, child(at, 'matrix_id'))
    check(test.assert, child(at, 'assert'))
    checkHistory(test.history, child(at, 'history'), texts)
    for (const key of ['only_providers', 'skip_providers'] as const)
      for (const [position, id] of (test[key] ?? []).entries())
        if (!known.has(id))
          once(
            'provider id',
            child(child(at, key), position),
            `no provider has the id \`${id}\`; configured: ${quotedNames(ids)}${didYouMean(id, ids)}`,
          )
  }
}

const checkAssertion = ({ kind, fields, grader }: AssertionSpec, at: Path, texts: Texts): void => {
  const { value } = fields
  const inValue = child(at, 'value')
  if (kind === 'regex' && typeof value === 'string') texts.regex(value, inValue)
  else if (kind === 'jinja' && typeof value === 'string') texts.expression(value, inValue)
  else if ((kind === 'equals' || kind === 'similar' || kind === 'llm-rubric') && !isFileValue(value))
    texts.leaves(value, inValue)
  else if (kind === 'tool-call' && !isFileValue(fields['args'])) texts.leaves(fields['args'], child(at, 'args'))
  if (grader !== undefined) checkGrader(grader, child(at, 'grader'), texts)
}
