import { describe, expect, it } from 'vitest'
import { TEST_EVENT, WEBHOOK_EVENTS } from '../../../domain/webhooks/event-types.ts'
import { chatBody, mailParts } from '../../../domain/webhooks/formats.ts'
import { MAX_BODY_BYTES, type MessageSubject } from '../../../domain/webhooks/message.ts'

const PUBLIC_URL = 'https://results.example'
const subject: MessageSubject = {
  event: 'run.regressed',
  at: Date.UTC(2026, 4, 4, 9),
  webhook_id: 'w',
  run_id: 'r/1',
  project: 'chat',
  suite: 'smoke',
  other_run_id: 'r0',
  cause: null,
  facts: {
    counts: { cases: 40, passed: 30, failed: 9, errors: 1 },
    compared: { against: 'baseline', run_no: 7, worse: 9, better: 1, p: 0.0231 },
  },
}
const LINES = [
  'Run r/1.',
  '30 of 40 cases passed, 9 failed, 1 error.',
  'Compared with the baseline: 9 cases worse, 1 better (p = 0.023).',
]
const PAGE = 'https://results.example/runs/r%2F1'
const bodyOf = (format: 'slack' | 'teams' | 'discord', part: Partial<MessageSubject> = {}): unknown =>
  JSON.parse(chatBody(format, { ...subject, ...part }, PUBLIC_URL))

/** Every text in a value. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap((one) => textsIn(one)) : []
}

describe('a message for a chat', () => {
  it('has the headline, the numbers and a link for Slack', () =>
    expect(bodyOf('slack')).toEqual({
      text: 'A run got worse: chat / smoke',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'A run got worse: chat / smoke', emoji: false } },
        { type: 'section', text: { type: 'plain_text', text: LINES.join('\n'), emoji: false } },
        { type: 'section', text: { type: 'mrkdwn', text: `<${PAGE}|Open the page>` } },
      ],
    }))

  it('is an Adaptive Card for Teams', () =>
    expect(bodyOf('teams')).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              {
                type: 'RichTextBlock',
                inlines: [{ type: 'TextRun', text: 'A run got worse: chat / smoke', weight: 'Bolder', size: 'Medium' }],
              },
              ...LINES.map((text) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] })),
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'Open the page', url: PAGE }],
          },
        },
      ],
    }))

  it('is an embed without mentions for Discord', () =>
    expect(bodyOf('discord')).toEqual({
      embeds: [
        {
          title: String.raw`A run got worse\: chat \/ smoke`,
          description: [
            String.raw`Run r\/1\.`,
            String.raw`30 of 40 cases passed\, 9 failed\, 1 error\.`,
            String.raw`Compared with the baseline\: 9 cases worse\, 1 better \(p \= 0\.023\)\.`,
          ].join('\n'),
          url: PAGE,
        },
      ],
      allowed_mentions: { parse: [] },
    }))

  it('shows names as they are: they make no link, no mention, no mark and no line', () => {
    const name = '<!channel> <https://evil.example|click> [a](https://evil.example) @everyone *b*\r\n> quote & \u202e'
    const part = { project: name, run_id: name }
    const [slack, teams, discord] = (['slack', 'teams', 'discord'] as const).map((format) => bodyOf(format, part))
    const { text, blocks } = slack as { text: string; blocks: Array<{ text: { type: string; text: string } }> }
    // The only text with marks is the link to the page.
    expect(blocks.filter((block) => block.text.type === 'mrkdwn')).toHaveLength(1)
    expect(blocks.at(-1)?.text.text).toMatch(/^<https:\/\/results\.example\/runs\/[^<>| ]+\|Open the page>$/)
    expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
    expect(textsIn(teams)).not.toContain('TextBlock')
    const { embeds } = discord as { embeds: Array<{ title: string; description: string }> }
    const [{ title, description } = { title: '', description: '' }] = embeds
    for (const shown of [title, ...description.split('\n')])
      expect(shown.replaceAll(/\\[!-/:-@[-`{-~]/g, '').replace(/…$/, '')).not.toMatch(/[!-/:-@[-`{-~]/)
    for (const shown of textsIn([slack, teams, discord])) expect(shown).not.toMatch(/[\r\u202e]/)
  })

  it.each(['slack', 'teams', 'discord'] as const)(
    'says something of every event, within the limits of %s',
    (format) => {
      for (const event of [...WEBHOOK_EVENTS, TEST_EVENT] as const)
        for (const name of ['chat', '\u0001'.repeat(400), '*'.repeat(400), '😀'.repeat(100)]) {
          const facts = {
            ...subject.facts,
            measured: { run_no: 1, ratio: 1.5, lower: 1.2, upper: 1.9, pairs: 12, p: 0.01 },
            change: { run_no: 1, before: { passed: 9, total: 10 }, after: { passed: 0, total: 0 } },
          }
          const body = bodyOf(format, { event, run_id: name, project: name, suite: name, facts })
          const texts = textsIn(body)
          expect(texts.every((text) => text.isWellFormed())).toBe(true)
          expect(texts.join(' ')).not.toMatch(/undefined|NaN|null/)
          expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(2 * MAX_BODY_BYTES)
          if (format === 'slack') {
            const { blocks } = body as { blocks: Array<{ type: string; text: { text: string } }> }
            for (const { type, text } of blocks.slice(0, 2))
              expect(text.text.length).toBeLessThanOrEqual(type === 'header' ? 150 : 3000)
          }
          if (format === 'discord') {
            const [embed] = (body as { embeds: Array<{ title: string; description: string }> }).embeds
            expect(embed?.title.length).toBeLessThanOrEqual(256)
            expect(embed?.description.length).toBeLessThanOrEqual(4096)
          }
        }
    },
  )

  it('has no link without the public URL of the service', () =>
    expect(chatBody('slack', subject, null) + chatBody('teams', subject, null)).not.toContain('Open the page'))
})

describe('an e-mail', () => {
  it('has a subject of one line and plain text', () =>
    expect(mailParts(subject, PUBLIC_URL)).toEqual({
      subject: 'A run got worse: chat / smoke',
      text: `A run got worse: chat / smoke\n\n${LINES.join('\n')}\n\n${PAGE}\n`,
    }))

  it('gets no header from a name', () => {
    const { subject: title, text } = mailParts({ ...subject, project: 'x\r\nBcc: all@example.com\r\n\r\nhello' }, null)
    expect(title + text).not.toContain('\r')
    expect(title).not.toContain('\n')
  })
})
