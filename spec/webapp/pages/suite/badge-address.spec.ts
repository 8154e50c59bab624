import { expect, it } from 'vitest'
import { badgeMarkdown, withMetric } from '../../../../webapp/pages/suite/badge-address.ts'

const ADDRESS = 'https://results.example/api/v1/projects/a/suites/b/badge.svg?key=badge_1'

it('the address names a metric that is not the usual one', () => {
  expect(withMetric(ADDRESS, 'pass-rate')).toBe(ADDRESS)
  expect(withMetric(ADDRESS, 'status')).toBe(`${ADDRESS}&metric=status`)
})

it('the Markdown is an image that links to the suite, whatever its name is', () => {
  expect(badgeMarkdown('smoke', ADDRESS, 'https://results.example/projects/a/suites/b')).toBe(
    `[![smoke](${ADDRESS})](https://results.example/projects/a/suites/b)`,
  )
  expect(badgeMarkdown('a](x)\n`<b>', 'https://r/(b)', 'https://r/p')).toBe(
    '[![a\\](x) \\`\\<b\\>](https://r/%28b%29)](https://r/p)',
  )
})
