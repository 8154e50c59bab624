import { counted } from '../plain/counted.ts'
import { printable } from '../text/printable.ts'
import { pageOf, type MessageSubject, type RunCounts } from './message.ts'

/** How a message is written: for programs (`standard`, which is Standard Webhooks), for a chat, or as an e-mail. */
export const WEBHOOK_FORMATS = ['standard', 'slack', 'teams', 'discord', 'email'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/** A message in words: a headline, sentences of one line each, and the page that shows it. */
type Words = { readonly title: string; readonly lines: readonly string[]; readonly url: string | null }

const HEADLINES: Readonly<Record<MessageSubject['event'], string>> = {
  'run.ingested': 'A run was uploaded',
  'run.regressed': 'A run got worse',
  'run.recovered': 'A run recovered',
  'run.costlier': 'The cases of a run cost more',
  'run.slower': 'The cases of a run took longer',
  'judge.changed': 'The judge of a suite changed',
  'review.completed': 'A review queue was closed',
  'suite.changed': 'The pass rate of a suite changed',
  'baseline.pinned': 'A baseline was pinned',
  'baseline.unpinned': 'A baseline was removed',
  'run.deleted': 'A run was deleted',
  'webhook.test': 'A test of this webhook',
}

const countLine = ({ cases, passed, failed, errors }: NonNullable<RunCounts>): string =>
  `${passed} of ${counted(cases, 'case')} passed, ${failed} failed, ${counted(errors, 'error')}.`

const percent = ({ passed, total }: { readonly passed: number; readonly total: number }): string =>
  total === 0 ? 'none' : `${((100 * passed) / total).toFixed(1)} %`

const factLines = ({
  run_id,
  cause,
  facts: { counts, compared, measured, judged, reviewed, change },
}: MessageSubject): string[] => [
  ...(run_id === null ? [] : [`Run ${printable(run_id)}.`]),
  ...(counts ? [countLine(counts)] : []),
  ...(compared
    ? [
        `Compared with the ${compared.against === 'baseline' ? 'baseline' : 'previous run'}: ${counted(compared.worse, 'case')} worse, ${compared.better} better (p = ${compared.p.toPrecision(2)}).`,
      ]
    : []),
  ...(measured
    ? [
        `${measured.ratio.toPrecision(3)} times the previous run (95 % interval ${measured.lower.toPrecision(3)} to ${measured.upper.toPrecision(3)}, ${counted(measured.pairs, 'test')}).`,
      ]
    : []),
  ...(judged
    ? [
        `Another judge than in the previous run decided ${counted(judged.metrics, 'metric')}. A difference may be the judge's.`,
      ]
    : []),
  ...(reviewed
    ? [
        `${reviewed.final} of ${counted(reviewed.items, 'case')} have a final label, ${reviewed.waiting} wait for an adjudicator.`,
      ]
    : []),
  ...(change ? [`Pass rate before ${percent(change.before)}, after ${percent(change.after)}.`] : []),
  ...(cause === null ? [] : [`Cause: ${printable(cause)}.`]),
]

/** A message in words, from the same facts as its JSON. Names have no control characters. */
const wordsOf = (subject: MessageSubject, publicUrl: string | null): Words => {
  const { event, project, suite } = subject
  const set = [project, suite].flatMap((name) => (name === null ? [] : [printable(name)])).join(' / ')
  return {
    title: `${HEADLINES[event]}${set === '' ? '' : `: ${set}`}`,
    lines: factLines(subject),
    url: pageOf(subject, publicUrl),
  }
}

/** The first characters of a text, at most `most` units, not within a character. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

/** https://docs.slack.dev/messaging/formatting-message-text: these three characters start marks and mentions. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false })

/** A message for an incoming webhook of Slack. Blocks of plain text have no marks and no mentions. */
const slackBody = ({ title, lines, url }: Words): object => ({
  text: slackText(title),
  blocks: [
    { type: 'header', text: plainText(cut(title, 150)) },
    ...(lines.length === 0 ? [] : [{ type: 'section', text: plainText(cut(lines.join('\n'), 3000)) }]),
    ...(url === null ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: `<${url}|Open the page>` } }]),
  ],
})

/**
 * A message for a workflow of Microsoft Teams: an Adaptive Card (https://adaptivecards.io/explorer). A run of text has no
 * Markdown, unlike a block of text.
 */
const teamsBody = ({ title, lines, url }: Words): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [title, ...lines].map((text, i) => ({
          type: 'RichTextBlock',
          inlines: [{ type: 'TextRun', text, ...(i === 0 ? { weight: 'Bolder', size: 'Medium' } : {}) }],
        })),
        ...(url === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open the page', url }] }),
      },
    },
  ],
})

/** A backslash before a sign makes it a plain one in Discord's Markdown, which also ends links and mentions. */
const discordText = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, String.raw`\$&`)

/** A message for a webhook of Discord: https://discord.com/developers/docs/resources/webhook#execute-webhook. */
const discordBody = ({ title, lines, url }: Words): object => ({
  embeds: [
    {
      title: cut(discordText(title), 256),
      description: cut(lines.map((line) => discordText(line)).join('\n'), 4096),
      ...(url === null ? {} : { url }),
    },
  ],
  // Mentions notify no one, whatever the names are.
  allowed_mentions: { parse: [] },
})

/** The body of a message for a chat, as JSON. */
export const chatBody = (
  format: Exclude<WebhookFormat, 'standard' | 'email'>,
  subject: MessageSubject,
  publicUrl: string | null,
): string => {
  const words = wordsOf(subject, publicUrl)
  const body = { slack: slackBody, teams: teamsBody, discord: discordBody }[format](words)
  return JSON.stringify(body)
}

/** Subject and plain text of an e-mail. The subject is one line. */
export const mailParts = (
  subject: MessageSubject,
  publicUrl: string | null,
): { readonly subject: string; readonly text: string } => {
  const { title, lines, url } = wordsOf(subject, publicUrl)
  return { subject: cut(title, 200), text: [title, '', ...lines, ...(url === null ? [] : ['', url]), ''].join('\n') }
}
