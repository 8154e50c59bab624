import { describe, expect, it } from 'vitest'
import { safeLink } from '../../../webapp/text/safe-link.ts'

describe('an address in a document', () => {
  it('is a link if it is http or https', () => expect(safeLink('https://ci.example/1')).toBe('https://ci.example/1'))
  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//ci.example',
    'file:///etc/passwd',
    '',
  ])('is no link if it is %j', (address) => expect(safeLink(address)).toBeNull())
})
