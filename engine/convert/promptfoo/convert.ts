import { UsageError, type Json, type JsonObject } from '../../json.ts'
import { asList, asMapping, noteDropped, openNotes, type Notes, type ReadText } from './notes.ts'
import { convertPrompts } from './prompts.ts'
import { convertGrader, convertProviders } from './providers.ts'
import { convertDefaults, convertTests } from './tests.ts'

/** A suite as data, in the order in which its keys are written, and a line for everything dropped or guessed. */
type Conversion = { readonly suite: JsonObject; readonly notes: readonly string[] }

const CONVERTED: ReadonlySet<string> = new Set([
  '$schema',
  'description',
  'providers',
  'targets',
  'prompts',
  'tests',
  'defaultTest',
  'assertionTemplates',
  'evaluateOptions',
])

/**
 * Converts a promptfoo configuration, parsed from YAML or JSON, to a suite. A result file of promptfoo is accepted too:
 * its `config` is converted. `read` returns the text of a prompt's file, by its path from the folder of the configuration.
 * Throws `UsageError` if `source` is no mapping. The form of the configuration is that of
 * promptfoo's public reference of the configuration, of assertions and of providers.
 */
export const convertPromptfoo = (source: Json, read: ReadText = () => null): Conversion => {
  const root = asMapping(source)
  if (root === null) throw new UsageError('a promptfoo configuration is a mapping')
  const notes = openNotes()
  const recorded = 'results' in root ? asMapping(root['config']) : null
  if (recorded !== null) notes.add('', 'the file holds results; the configuration in it was converted')
  const config = recorded ?? root
  noteDropped(config, CONVERTED, '', notes)

  const from = { notes, read, templates: asMapping(config['assertionTemplates']) ?? {} }
  const providers = convertProviders(config['providers'] ?? config['targets'], from)
  const prompts = convertPrompts(config['prompts'], from)
  const defaults = convertDefaults(config['defaultTest'], from)
  const tests = convertTests(config['tests'], from)
  const options = asMapping(asMapping(config['defaultTest'])?.['options'])
  const grader = convertGrader(options?.['provider'], 'defaultTest.options.provider', notes)
  const runner = convertOptions(config['evaluateOptions'], notes)
  const suite: JsonObject = {
    version: 1,
    ...(typeof config['description'] === 'string' ? { description: config['description'] } : {}),
    providers,
    ...(prompts.length > 0 ? { prompts } : {}),
    ...(defaults === null ? {} : { defaults }),
    tests,
    ...(grader === null ? {} : { grader }),
    ...(runner === null ? {} : { runner }),
  }
  noteMissing(suite, notes)
  return { suite, notes: notes.lines() }
}

const convertOptions = (source: Json | undefined, notes: Notes): JsonObject | null => {
  const options = asMapping(source)
  if (options === null) return null
  noteDropped(options, new Set(['maxConcurrency']), 'evaluateOptions', notes)
  const most = options['maxConcurrency']
  return typeof most === 'number' && Number.isInteger(most) && most >= 1 ? { concurrency: most } : null
}

/** What the suite as a whole needs before it can run: notes about graders, and about how templates differ. */
const noteMissing = (suite: JsonObject, notes: Notes): void => {
  const assertions = [suite['defaults'] ?? null, ...asList(suite['tests'])!].flatMap(
    (test) => asList(asMapping(test)?.['assert']) ?? [],
  )
  const has = (kind: string, isServed: (assertion: JsonObject) => boolean): boolean =>
    assertions.some((entry) => {
      const assertion = asMapping(entry)!
      return (assertion['type'] === kind || assertion['type'] === `not-${kind}`) && !isServed(assertion)
    })
  if (suite['grader'] === undefined && has('llm-rubric', (assertion) => assertion['grader'] !== undefined))
    notes.add(
      '',
      '`llm-rubric` needs a `grader` with a model that judges; without one every such assertion is an error',
    )
  const hasEmbeddings = asList(suite['providers'])!.some((provider) => asMapping(provider)?.['type'] === 'embeddings')
  if (!hasEmbeddings && has('similar', () => false))
    notes.add('', '`similar` needs a provider of type `embeddings`; without one every such assertion is an error')
  if (asList(suite['providers'])!.some(isWithoutDefaults))
    notes.add(
      '',
      'a model without `temperature` and `max_tokens` in its `params` has the defaults of its vendor here (4096 tokens for anthropic), and 0 and 1024 in promptfoo',
    )
  const text = JSON.stringify(suite)
  if (/\{\{|\{%|"jinja"/.test(text))
    notes.add(
      '',
      'a name that no test sets is an error in a template here, and prints nothing in promptfoo: use `| default("")`',
    )
  if (/\|\s*dump\b/.test(text)) notes.add('', 'the filter `dump` is named `tojson` here')
}

/** Whether a provider is a model that promptfoo asks with a temperature or a length that the configuration does not name. */
const isWithoutDefaults = (provider: Json): boolean => {
  const { type, params } = asMapping(provider)!
  const given = asMapping(params) ?? {}
  const hasLength = ['max_tokens', 'max_completion_tokens'].some((name) => name in given)
  return (type === 'openai' || type === 'anthropic') && !('temperature' in given && hasLength)
}
