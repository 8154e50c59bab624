import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { meetsQuorum, parsePolicy, quorumText, wordText } from '../../../domain/proof/policy.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { logKey, mlDsaKey, witnessKey } from '../../support/proof/keys.ts'

const LOG = (await logKey('log.example', 1)).vkey.text
const ML_DSA = (await mlDsaKey('log.example', 2)).vkey.text
const [X1, X2, X3, Y1, Y2] = await Promise.all(
  ['x1', 'x2', 'x3', 'y1', 'y2'].map(async (name, n) => (await witnessKey(`${name}.example`, 10 + n)).vkey.text),
)

const POLICY = `# Two groups of witnesses
\tlog ${LOG}  https://log.example/api/v1/log\t

witness X1 ${X1} https://x.example/
witness X2 ${X2}
witness X3 ${X3}
group X-witnesses 2 X1 X2 X3
witness Y1 ${Y1}
witness Y2 ${Y2}
group Y-witnesses any Y1 Y2
group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`

const parse = (file: string | Uint8Array) => parsePolicy(file, nodeCrypto)

describe('a policy', () => {
  it('lists logs and witnesses, with their URLs', async () => {
    const policy = await parse(POLICY)
    expect(policy.logs.map(({ vkey, url }) => [vkey.name, url])).toEqual([
      ['log.example', 'https://log.example/api/v1/log'],
    ])
    expect(policy.witnesses.map(({ name, vkey, url }) => [name, vkey.name, url])).toEqual([
      ['X1', 'x1.example', 'https://x.example/'],
      ['X2', 'x2.example', null],
      ['X3', 'x3.example', null],
      ['Y1', 'y1.example', null],
      ['Y2', 'y2.example', null],
    ])
  })

  it.each([
    ['', false],
    ['X1 X2', false],
    ['X1 X2 X3', false],
    ['X1 Y1', false],
    ['X1 X3 Y2', true],
    ['X1 X2 X3 Y1 Y2', true],
    ['X-witnesses Y-witnesses', false],
  ])('is met by %j: %s', async (names, met) => {
    expect(meetsQuorum(await parse(POLICY), new Set(names.split(' ')))).toBe(met)
  })

  it('may require one witness, or none', async () => {
    const one = await parse(`witness a ${X1}\nquorum a\n`)
    expect([meetsQuorum(one, new Set()), meetsQuorum(one, new Set(['a']))]).toEqual([false, true])
    expect(await parse('quorum none\n')).toEqual({ logs: [], witnesses: [], groups: [], quorum: null })
    expect(await parse('quorum none')).toMatchObject({ quorum: null })
    expect(meetsQuorum({ groups: [], quorum: null }, new Set())).toBe(true)
  })

  it('may list ML-DSA-44 keys of logs', async () =>
    expect((await parse(`log ${LOG}\nlog ${ML_DSA} https://log.example/\nquorum none\n`)).logs).toHaveLength(2))

  it('says what it asks for', async () => {
    const nine = Array.from({ length: 9 }, (_, n) => `w${n}`)
    const witnesses = await Promise.all(
      nine.map(async (name, n) => `witness ${name} ${(await witnessKey(name, 50 + n)).vkey.text}\n`),
    )
    const texts = ['none', 'w1', 'two', 'all'].map(async (quorum) =>
      quorumText(
        await parse(
          `${witnesses.join('')}group two 2 w0 w1 w2\ngroup all all two ${nine.slice(3).join(' ')}\ngroup more 1 all\nquorum ${quorum}\n`,
        ),
      ),
    )
    expect(await Promise.all(texts)).toEqual([
      'no witness',
      'w1',
      '2 of w0, w1, w2',
      'all of two, w3, w4, w5, w6, w7, w8',
    ])
    expect(quorumText({ groups: [{ name: 'g', threshold: 1, members: nine }], quorum: 'g' })).toBe(
      '1 of w0, w1, w2, w3, w4, w5, w6, w7, …',
    )
  })

  it('has names and comments of any octets', async () => {
    const [name, other] = [Buffer.of(0xff, 0x4b), Buffer.of(0xfe, 0x4b)]
    const file = Buffer.concat([
      Buffer.from('# '),
      name,
      Buffer.from('\nwitness '),
      name,
      Buffer.from(` ${X1}\nwitness `),
      other,
      Buffer.from(` ${X2}\nquorum `),
      name,
      Buffer.from('\n'),
    ])
    expect((await parse(file)).witnesses).toHaveLength(2)
    const [witness] = (await parse(`witness Zürich ${X1}\nquorum Zürich\n`)).witnesses
    expect(wordText(witness?.name ?? '')).toBe('Zürich')
  })

  it('compares names by their octets, not by their characters', async () => {
    const latin1 = (text: string) => Buffer.from(text, 'latin1')
    const policy = await parse(
      latin1(`witness \xe9 ${X1}\nwitness \xc3\xa9 ${X2}\ngroup g all \xe9 \xc3\xa9\nquorum g\n`),
    )
    const [first, second] = policy.witnesses.map(({ name }) => name)
    expect([first, second].map((name) => wordText(name ?? ''))).toEqual(['é', 'é'])
    expect(meetsQuorum(policy, new Set([first ?? '']))).toBe(false)
    expect(meetsQuorum(policy, new Set([first ?? '', second ?? '']))).toBe(true)
    const one = await parse(latin1(`witness \xe9 ${X1}\nwitness \xc3\xa9 ${X2}\nquorum \xc3\xa9\n`))
    expect([first, second].map((name) => meetsQuorum(one, new Set([name ?? ''])))).toEqual([false, true])
    const unknown = parse(latin1(`witness \xe9 ${X1}\nquorum \xc3\xa9\n`))
    await expect(unknown).rejects.toThrow('no earlier line defines é')
  })

  it('has keys in UTF-8', async () => {
    const key = Buffer.concat([Buffer.of(4), Buffer.alloc(32, 3)])
    const id = createHash('sha256').update(Buffer.from('é\n')).update(key).digest('hex').slice(0, 8)
    const file = `witness a é+${id}+${key.toString('base64')} https://é/\nquorum none\n`
    expect((await parse(file)).witnesses).toMatchObject([{ name: 'a', vkey: { name: 'é' }, url: 'https://é/' }])
    await expect(parse(Buffer.from(file, 'latin1'))).rejects.toThrow(
      'line 1 of the policy: the verifier key is not UTF-8',
    )
  })

  it('may have 32 logs, witnesses and groups', async () => {
    const numbers = Array.from({ length: 32 }, (_, n) => n)
    const lines = await Promise.all(
      numbers.map(async (n) => [
        `log ${(await logKey(`log${n}`, 100 + n)).vkey.text}`,
        `witness w${n} ${(await witnessKey(`w${n}`, 100 + n)).vkey.text}`,
        `group g${n} any w${n}`,
      ]),
    )
    const policy = await parse(
      `${lines.flat().join('\n')}\ngroup all all ${numbers.map((n) => `g${n}`).join(' ')}\nquorum all\n`,
    )
    expect(meetsQuorum(policy, new Set(numbers.map((n) => `w${n}`)))).toBe(true)
    expect(meetsQuorum(policy, new Set(numbers.slice(1).map((n) => `w${n}`)))).toBe(false)
  })

  it('may nest thousands of groups', async () => {
    const groups = Array.from({ length: 4000 }, (_, n) => `group g${n} all ${n === 0 ? 'w' : `g${n - 1}`}`)
    const policy = await parse(`witness w ${X1}\n${groups.join('\n')}\nquorum g3999\n`)
    expect([meetsQuorum(policy, new Set()), meetsQuorum(policy, new Set(['w']))]).toEqual([false, true])
  })

  it.each([
    ['no quorum', `witness a ${X1}\n`, 'no quorum line'],
    ['two quorums', 'quorum none\nquorum none\n', 'line 2'],
    ['an unknown quorum', 'quorum a\n', 'no earlier line defines a'],
    ['a quorum of a later line', `quorum a\nwitness a ${X1}\n`, 'line 1'],
    ['two names behind the quorum', `witness a ${X1}\nquorum a a\n`, 'expected: quorum <name>'],
    ['an unknown word', 'cosigner a b\nquorum none\n', 'line 1'],
    ['a word in capitals', 'Quorum none\n', 'line 1'],
    ['a witness without key', 'witness a\nquorum none\n', 'expected: witness'],
    ['a wrong key', `witness a ${X1?.replace('x1', 'x2')}\nquorum none\n`, 'has the id'],
    ['a log key for a witness', `witness a ${LOG}\nquorum none\n`, 'is for logs'],
    ['a witness key for a log', `log ${X1}\nquorum none\n`, 'is for witnesses'],
    ['a name twice', `witness a ${X1}\nwitness a ${X2}\nquorum none\n`, 'the name a is taken'],
    ['a group with the name of a witness', `witness a ${X1}\ngroup a any a\nquorum none\n`, 'taken'],
    ['a witness with the name none', `witness none ${X1}\nquorum none\n`, 'taken'],
    ['none as a member', `witness a ${X1}\ngroup g any a none\nquorum g\n`, 'no earlier line defines none'],
    ['an ML-DSA-44 key of a log twice', `log ${ML_DSA}\nlog ${ML_DSA}\nquorum none\n`, 'listed twice'],
    ['a log key twice', `log ${LOG}\nlog ${LOG}\nquorum none\n`, 'listed twice'],
    ['a witness key twice', `witness a ${X1}\nwitness b ${X1}\nquorum none\n`, 'listed twice'],
    ['a member twice', `witness a ${X1}\ngroup g any a a\nquorum g\n`, 'a member already'],
    ['a member of two groups', `witness a ${X1}\ngroup g any a\ngroup h any a\nquorum g\n`, 'a member already'],
    ['a group of nothing', 'group g any\nquorum none\n', 'expected: group'],
    ['a group of itself', 'group g any g\nquorum none\n', 'no earlier line defines g'],
    ['a threshold of 0', `witness a ${X1}\ngroup g 0 a\nquorum g\n`, 'from 1 to 1'],
    ['a threshold above the members', `witness a ${X1}\ngroup g 2 a\nquorum g\n`, 'from 1 to 1'],
    ['a threshold with a leading zero', `witness a ${X1}\ngroup g 01 a\nquorum g\n`, 'from 1 to 1'],
    ['a carriage return', 'quorum none\r\n', 'control characters'],
    ['a control character in a comment', '# \u0007\nquorum none\n', 'control characters'],
    ['DEL', '# \u007f\nquorum none\n', 'control characters'],
    ['nothing', '', 'no quorum line'],
    ['words after a URL', `log ${LOG} https://a https://b\nquorum none\n`, 'expected: log'],
    ['too many lines', `${'\n'.repeat(4096)}quorum none\n`, '4096 lines'],
  ])('is refused with %s', async (_, text, message) => {
    await expect(parse(text)).rejects.toThrow(
      expect.objectContaining({ name: 'ProofFailed', code: 20, message: expect.stringContaining(message) as unknown }),
    )
  })

  it('separates words by spaces and tabs only', async () => {
    await expect(parse(`witness\u00a0a ${X1}\nquorum none\n`)).rejects.toThrow('line 1')
    const [witness] = (await parse(`witness a\u00a0b ${X1}\nquorum none\n`)).witnesses
    expect(wordText(witness?.name ?? '')).toBe('a\u00a0b')
  })
})
