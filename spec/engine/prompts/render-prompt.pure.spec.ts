import { describe, expect, it } from 'vitest'
import { renderPrompt, renderTurns, type Rendering } from '../../../engine/prompts/render-prompt.ts'
import { renderContext, renderVars } from '../../../engine/prompts/render-vars.ts'
import type { PromptSpec, Turn } from '../../../engine/suite/suite.ts'
import { createTemplates } from '../../../engine/templates/templates.ts'

const templates = createTemplates({ now: () => 0, env: {} })
const FILES: Readonly<Record<string, string>> = { 'file://system.md': 'You are {{ who }}.\n' }
const rendering: Rendering = {
  templates,
  context: { who: 'Ada', n: 3, env: { HOME: '/home' } },
  readText: async (reference) => {
    const text = FILES[reference]
    if (text === undefined) throw new Error(`${reference} does not exist`)
    return text
  },
}
const render = (prompt: PromptSpec | null, history: readonly Turn[] = []) => renderPrompt(prompt, history, rendering)
const template = { id: 'p', template: 'Hello {{ who }}' }
const USER: Turn = { role: 'user', content: 'Hi' }
const ASSISTANT: Turn = { role: 'assistant', content: 'Yes?' }
const SYSTEM: Turn = { role: 'system', content: 'Be brief.' }
const ASK: Turn = { role: 'user', content: '{{ who }}?' }

describe('a prompt and a history', () => {
  it('are a plain text without a history, byte for byte', async () =>
    expect(await render(template)).toEqual({ text: 'Hello Ada' }))

  it('are messages with one: the template is the last turn of the user', async () => {
    expect(await render(template, [USER, ASSISTANT])).toEqual({
      messages: [USER, ASSISTANT, { role: 'user', content: 'Hello Ada' }],
    })
  })

  it('put the history in the place of the marker, or nothing', async () => {
    const prompt = { id: 'p', messages: [SYSTEM, ASK, 'history' as const, ASK] }
    const asked = { role: 'user', content: 'Ada?' }
    expect(await render(prompt, [ASSISTANT])).toEqual({ messages: [SYSTEM, asked, ASSISTANT, asked] })
    expect(await render(prompt)).toEqual({ messages: [SYSTEM, asked, asked] })
  })

  it('without a marker put the history after the leading system turns', async () => {
    const prompt = { id: 'p', messages: [SYSTEM, ASK, SYSTEM] }
    expect(await render(prompt, [USER])).toEqual({
      messages: [SYSTEM, USER, { role: 'user', content: 'Ada?' }, SYSTEM],
    })
    expect(await render({ id: 'p', messages: [SYSTEM] }, [USER])).toEqual({ messages: [SYSTEM, USER] })
  })

  it('are the history alone, or nothing at all, without prompts', async () => {
    expect(await render(null, [USER])).toEqual({ messages: [USER] })
    expect(await render(null)).toBeNull()
  })

  it('are never an empty transcript', () =>
    expect(render({ id: 'p', messages: ['history'] })).rejects.toThrow('the transcript is empty'))

  it('read texts of files, which are templates without their last line end', async () => {
    expect(await render({ id: 'p', template: 'file://system.md' })).toEqual({ text: 'You are Ada.' })
    const turn: Turn = { role: 'system', content: [{ type: 'text', text: 'file://system.md' }] }
    expect(await render({ id: 'p', messages: [turn] })).toEqual({
      messages: [{ role: 'system', content: [{ type: 'text', text: 'You are Ada.' }] }],
    })
    await expect(render({ id: 'p', template: 'file://none.md' })).rejects.toThrow('file://none.md does not exist')
  })
})

describe('the turns of a history', () => {
  it('render texts and the texts of arguments, and nothing else', async () => {
    const turns: Turn[] = [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '{{ who }}', signature: '{{ who }}' },
          { type: 'text', text: '{{ who }}' },
        ],
        tool_calls: [{ id: '{{ who }}', name: '{{ who }}', arguments: { '{{ who }}': ['{{ n }}', 3, null] } }],
      },
      { role: 'tool', content: 'done', tool_call_id: '{{ who }}' },
    ]
    expect(await renderTurns(turns, rendering)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '{{ who }}', signature: '{{ who }}' },
          { type: 'text', text: 'Ada' },
        ],
        tool_calls: [{ id: '{{ who }}', name: '{{ who }}', arguments: { '{{ who }}': ['3', 3, null] } }],
      },
      { role: 'tool', content: 'done', tool_call_id: '{{ who }}' },
    ])
  })

  it('always have a content, and arguments that are a mapping where none are given', async () => {
    const turn: Turn = { role: 'assistant', tool_calls: [{ name: 'find', arguments: null }] }
    expect(await renderTurns([turn], rendering)).toEqual([
      { role: 'assistant', content: '', tool_calls: [{ name: 'find', arguments: {} }] },
    ])
  })
})

describe('vars', () => {
  const render = (vars: Parameters<typeof renderVars>[1]) => renderVars(templates, vars, { HOME: '/home' })

  it('are rendered at any depth with env alone', () => {
    expect(render({ a: '{{ env.HOME }}', b: [{ c: '{{ 1 + 1 }}' }], d: 1.5, e: null, '{{ x }}': true })).toEqual({
      a: '/home',
      b: [{ c: '2' }],
      d: 1.5,
      e: null,
      '{{ x }}': true,
    })
    expect(() => render({ a: 'x', b: '{{ a }}' })).toThrow(/undefined|defined/)
  })

  it('are raw as a whole value of exactly one key', () => {
    expect(render({ a: { $raw: ['{{ x }}'] }, b: { $raw: null }, c: [{ $raw: 'x' }], d: { $raw: 'y', z: 1 } })).toEqual(
      {
        a: ['{{ x }}'],
        b: null,
        c: [{ $raw: 'x' }],
        d: { $raw: 'y', z: 1 },
      },
    )
  })

  it('keep keys that objects treat in their own way', () => {
    const vars = JSON.parse('{"__proto__": {"constructor": "{{ 1 }}"}}') as Parameters<typeof renderVars>[1]
    expect(JSON.stringify(render(vars))).toBe('{"__proto__":{"constructor":"1"}}')
  })

  it('are in the scope of prompts, and env hides a var of that name', () =>
    expect(renderContext({ a: 1, env: 2 }, { HOME: '/' })).toEqual({ a: 1, env: { HOME: '/' } }))
})
