import { counted } from '../../domain/plain/counted.ts'
import { changeCounts, changedConfig, sideName, testText, type ComparedCase, type Comparison } from './compare.ts'
import { shortDigest } from './compare-table.ts'
import { code, codeBlock, htmlCode, name, table } from '../../domain/text/markdown.ts'
import { outputDiff, promptsDiff, showsDiff, type DiffChoice } from './output-diff.ts'

const MAX_ROWS = 50
const MAX_DIFF_LINES = 30
const MAX_ALL_DIFF_LINES = 300

type CompareMarkdownOptions = {
  readonly diffs?: DiffChoice
  readonly full?: boolean
  readonly configDiff?: boolean
}

/** A comparison as blocks of Markdown, each a list of lines. */
export const comparisonMarkdown = (
  comparison: Comparison,
  { diffs = 'regressions', full = false, configDiff = false }: CompareMarkdownOptions = {},
): string[][] => {
  const { base, head, cases, summary, columns } = comparison
  const failing = cases.filter(({ delta }) => delta === 'newly_failing')
  const changed = changedConfig(comparison)
  return [
    [columns ? '### Comparison of columns' : '### Comparison with baseline'],
    [
      summary.newly_failing > 0
        ? `**Regressions detected** — ${summary.newly_failing} newly failing`
        : '**No regressions**',
    ],
    [
      columns
        ? `${name(sideName(base.run_id, columns.base))} → ${name(sideName(head.run_id, columns.head))}`
        : `Baseline ${name(base.run_id)} → this run ${name(head.run_id)}`,
    ],
    [changeCounts(comparison)],
    [testText(comparison)],
    ...(changed === null
      ? []
      : [[`Configuration changed: ${changed.map((digest) => code(shortDigest(digest))).join(' → ')}`]]),
    ...(changed !== null && configDiff ? configBlock(comparison) : []),
    ...failingTable(failing),
    ...collapsedDiffs(
      cases.filter((item) => showsDiff(item, diffs)),
      full,
    ),
  ]
}

const configBlock = ({ base, head }: Comparison): string[][] => {
  const diff = promptsDiff(base, head)
  return [diff.length === 0 ? ['The prompts are the same.'] : codeBlock('diff', diff.join('\n'))]
}

const failingTable = (failing: readonly ComparedCase[]): string[][] => {
  if (failing.length === 0) return []
  const rows = failing
    .slice(0, MAX_ROWS)
    .map(({ name: test, base, head }) => [
      code(test),
      name(head?.cell.provider_id ?? ''),
      `${base?.score.toFixed(2) ?? '–'} → ${head?.score.toFixed(2) ?? '–'}`,
    ])
  const more = failing.length - MAX_ROWS
  return [
    ['#### Newly failing'],
    table(['Test', 'Provider', 'Score'], rows),
    ...(more > 0 ? [[`_…and ${more} more._`]] : []),
  ]
}

/** Diffs that a reader opens one by one, until the lines of all are too many for a comment. */
const collapsedDiffs = (cases: readonly ComparedCase[], full: boolean): string[][] => {
  const blocks: string[][] = []
  let lines = 0
  for (const [index, item] of cases.entries()) {
    if (!full && lines >= MAX_ALL_DIFF_LINES) {
      blocks.push([`_…and ${counted(cases.length - index, 'more diff')}._`])
      break
    }
    const limit = full ? Infinity : Math.min(MAX_DIFF_LINES, MAX_ALL_DIFF_LINES - lines)
    const diff = outputDiff(item, limit)
    lines += diff.length
    blocks.push([
      `<details><summary>${htmlCode(item.name)}</summary>`,
      '',
      ...codeBlock('diff', diff.join('\n')),
      '',
      '</details>',
    ])
  }
  return blocks
}
