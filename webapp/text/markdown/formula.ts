import temml from 'temml'

// Elements of MathML that are drawn as they are read (https://www.w3.org/TR/mathml-core/). None of them hides, moves or
// colours what is in it, loads anything or is a link.
const ELEMENTS = new Set(
  'math mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle mover munder munderover msub msup msubsup mmultiscripts mprescripts mpadded mtable mtr mtd'.split(
    ' ',
  ),
)
const ATTRIBUTES = new Set(
  'display displaystyle scriptlevel mathvariant stretchy fence separator lspace rspace form movablelimits accent accentunder largeop symmetric minsize maxsize linethickness columnspan rowspan width height depth xmlns class'.split(
    ' ',
  ),
)
/** Commands that hide, move or shrink a formula, or that define others. */
const REFUSED =
  /\\(?:[hv]?phantom|smash|[rlc]lap|mathllap|mathrlap|mathclap|raisebox|lower|raise|m?kern|m?skip|hskip|hspace|rule|color|textcolor|colorbox|fcolorbox|tiny|scriptsize|[gxe]?def|let|(?:re)?newcommand|providecommand|href|url|includegraphics|class|style|htmlClass|htmlId|htmlStyle|htmlData|data|id)(?![A-Za-z])|(?<!\\)%/

const isSafe = (element: Element): boolean =>
  ELEMENTS.has(element.localName) &&
  element.namespaceURI === 'http://www.w3.org/1998/Math/MathML' &&
  [...element.attributes].every(({ name, value }) => ATTRIBUTES.has(name) && !/^-|[(:;]/.test(value)) &&
  [...element.children].every(isSafe)

/** The MathML of a formula in LaTeX; null if it has mistakes, or anything that would not be seen as it is written. */
export const formulaNode = (formula: string, isBlock: boolean): Element | null => {
  if (REFUSED.test(formula)) return null
  const box = document.createElement('span')
  try {
    temml.render(formula, box, {
      displayMode: isBlock,
      throwOnError: true,
      trust: false,
      strict: false,
      maxExpand: 200,
      maxSize: [10, 10],
    })
  } catch {
    // The library throws errors of several kinds for a formula with mistakes, which is then shown as it is stored.
    return null
  }
  const [element] = box.children
  if (!element) return null
  // Sizes are set as styles, which are not needed. Read first: Chromium keeps an empty attribute that it did not yet write.
  for (const styled of [element, ...element.querySelectorAll('[style]')]) {
    if (styled.getAttribute('style')?.includes('border:')) styled.classList.add('boxed')
    styled.removeAttribute('style')
  }
  return isSafe(element) ? element : null
}
