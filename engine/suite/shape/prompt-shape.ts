import type { Json } from '../../json.ts'
import { FILE_PREFIX, isFileText } from '../file-reference.ts'
import { isList, isMapping } from '../values.ts'
import {
  anything,
  byType,
  closed,
  either,
  list,
  named,
  choice,
  optional,
  required,
  text,
  type Accepted,
  type Shape,
} from './shape.ts'

const block = named(
  'block',
  byType(
    'a content block',
    new Map<string, Shape<AuthoredBlock>>([
      [
        'text',
        closed('a text block', {
          type: required(choice('block type', ['text']), 'A block of text.'),
          text: required(text, 'A template, or a `file://` reference to one.'),
        }),
      ],
      [
        'thinking',
        closed('a thinking block', {
          type: required(choice('block type', ['thinking']), 'A block of reasoning, sent as it is.'),
          thinking: required(text, 'The reasoning. Never rendered.'),
          signature: optional(text, 'The signature of the vendor. Never rendered.'),
        }),
      ],
    ]),
    'The type of the block.',
  ),
)
type AuthoredBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }

const blocks = list(block)
const content = either('a string or a list of blocks', [text, blocks], (value) =>
  typeof value === 'string' ? text : isList(value) ? blocks : undefined,
)

const toolCall = named(
  'toolCall',
  closed('a tool call', {
    id: optional(text, 'The id of the call.'),
    name: required(text, 'The name of the tool.'),
    arguments: optional(anything, 'The arguments. Texts in them are templates.', null),
  }),
)

export const turn = named(
  'turn',
  closed('a turn', {
    role: required(choice('role', ['system', 'user', 'assistant', 'tool']), 'Who speaks.'),
    content: optional(content, 'A template, a `file://` reference to one, or a list of blocks.'),
    tool_calls: optional(list(toolCall), 'Tools that an assistant turn calls.'),
    tool_call_id: optional(text, 'The call that a tool turn answers.'),
  }),
)
export type AuthoredTurn = Accepted<typeof turn>

const marker = choice('bare message', ['history'])
const message = either('a turn or the marker `history`', [turn, marker], (value) =>
  typeof value === 'string' ? marker : isMapping(value) ? turn : undefined,
)

export const prompt = named(
  'prompt',
  closed('a prompt', {
    id: required(text, 'The name of the prompt in results. Unique in the suite.'),
    template: optional(text, 'The text of the prompt: a template, or a `file://` reference to one.'),
    messages: optional(
      list(message),
      'The prompt as a conversation. The bare text `history` marks where the history of a test goes.',
    ),
  }),
)
export type AuthoredPrompt = Accepted<typeof prompt>

export const tool = named(
  'tool',
  closed('a tool', {
    name: required(text, 'The name of the tool.'),
    description: optional(text, 'What the tool does.'),
    input_schema: optional(anything, 'A JSON Schema of the arguments, sent as it is.'),
  }),
)
export type AuthoredTool = Accepted<typeof tool>

const turns = list(turn)
const historyFile: Shape<string> = {
  check: (value, at, report) => {
    if (typeof value === 'string' && isFileText(value)) return true
    report(at, `expected a list of turns or a \`file://\` reference to one, got ${JSON.stringify(value)}`, {
      kind: 'value',
      onKey: false,
    })
    return false
  },
  schema: () => ({ type: 'string', pattern: `^${FILE_PREFIX}` }),
}

/** Turns before the prompt: inline, or in a file. */
export const history: Shape<readonly AuthoredTurn[] | string> = either(
  'a list of turns or a `file://` reference to one',
  [turns, historyFile],
  (value: Json) => (isList(value) ? turns : typeof value === 'string' ? historyFile : undefined),
)
