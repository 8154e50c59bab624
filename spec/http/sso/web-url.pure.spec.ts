import { expect, it } from 'vitest'
import { isWebUrl } from '../../../http/sso/web-url.ts'

it.each([
  'https://idp.example',
  'http://localhost:8080/realms/corp/',
  'HTTPS://IDP.EXAMPLE/a?b=c%20d',
  'https://[2001:db8::1]/',
])('%j is a URL of the web', (text) => expect(isWebUrl(text)).toBe(true))

it.each([
  '',
  'idp.example',
  '//idp.example/',
  'https:/idp.example',
  'https:idp.example',
  'https://',
  'ftp://idp.example/',
  'javascript:alert(1)',
  'https://idp.example/#',
  'https://idp.example/#a',
  'https://user@idp.example/',
  'https://:secret@idp.example/',
  ' https://idp.example/',
  'https://idp.example/\n',
  'https://idp.example/\u0000',
  'https://idp.example:99999/',
  'https://idp.ex\u00E4mple/',
  'https://idp.example/caf\u00E9',
])('%j is not a URL of the web', (text) => expect(isWebUrl(text)).toBe(false))
