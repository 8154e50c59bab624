/** Names of characters, those of HTML 4 (https://html.spec.whatwg.org/multipage/named-characters.html), in runs from a first character. `.` has no name. */
const RUNS: ReadonlyArray<readonly [number, string]> = [
  [0x0022, 'quot'],
  [0x0026, 'amp'],
  [0x003c, 'lt . gt'],
  [
    0x00a0,
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
  ],
  [0x0152, 'OElig oelig'],
  [0x0160, 'Scaron scaron'],
  [0x0178, 'Yuml'],
  [0x0192, 'fnof'],
  [0x02c6, 'circ'],
  [0x02dc, 'tilde'],
  [
    0x0391,
    'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho . Sigma Tau Upsilon Phi Chi Psi Omega',
  ],
  [
    0x03b1,
    'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega',
  ],
  [0x03d1, 'thetasym upsih'],
  [0x03d6, 'piv'],
  [0x2002, 'ensp emsp'],
  [0x2009, 'thinsp . . zwnj zwj lrm rlm'],
  [0x2013, 'ndash mdash'],
  [0x2018, 'lsquo rsquo sbquo . ldquo rdquo bdquo . dagger Dagger bull'],
  [0x2026, 'hellip'],
  [0x2030, 'permil . prime Prime'],
  [0x2039, 'lsaquo rsaquo'],
  [0x203e, 'oline'],
  [0x2044, 'frasl'],
  [0x20ac, 'euro'],
  [0x2111, 'image'],
  [0x2118, 'weierp'],
  [0x211c, 'real'],
  [0x2122, 'trade'],
  [0x2135, 'alefsym'],
  [0x2190, 'larr uarr rarr darr harr'],
  [0x21b5, 'crarr'],
  [0x21d0, 'lArr uArr rArr dArr hArr'],
  [0x2200, 'forall . part exist . empty . nabla isin notin . ni'],
  [0x220f, 'prod . sum minus'],
  [0x2217, 'lowast . . radic . . prop infin . ang'],
  [0x2227, 'and or cap cup int'],
  [0x2234, 'there4'],
  [0x223c, 'sim'],
  [0x2245, 'cong . . asymp'],
  [0x2260, 'ne equiv . . le ge'],
  [0x2282, 'sub sup nsub . sube supe'],
  [0x2295, 'oplus . otimes'],
  [0x22a5, 'perp'],
  [0x22c5, 'sdot'],
  [0x2308, 'lceil rceil lfloor rfloor'],
  [0x25ca, 'loz'],
  [0x2660, 'spades . . clubs . hearts diams'],
  [0x27e8, 'lang rang'],
]
const characters = new Map(
  RUNS.flatMap(([first, names]) => names.split(' ').map((name, n) => [name, String.fromCodePoint(first + n)] as const)),
)

/** A code point that has a character which may be seen or is white space; the others are replaced, as HTML does. */
const isCharacter = (code: number): boolean =>
  code <= 0x10ffff && !/^[\p{Cs}\p{Cn}]$|^[\0-\x08\x0b-\x1f\x7f-\x9f]$/u.test(String.fromCodePoint(code))

/**
 * The character of a reference such as `&eacute;` or `&#233;`; null for a name that is none of HTML 4. HTML 5 has 1,900 more
 * names, which stay as they are written.
 */
export const referredCharacter = (reference: string): string | null => {
  const [, hex, decimal] = /^&#(?:x([\da-f]+)|(\d+));$/i.exec(reference) ?? []
  if (hex === undefined && decimal === undefined) return characters.get(reference.slice(1, -1)) ?? null
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return isCharacter(code) ? String.fromCodePoint(code) : '\ufffd'
}
