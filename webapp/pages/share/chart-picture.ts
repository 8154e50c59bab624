// Pictures of the charts on a page, made from what is drawn. The colours are those of the present theme.

/** What a chart looks like comes from the style of the page, which a picture does not have. */
const LOOKS = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
  'visibility',
  'display',
  'r',
  'rx',
]
const KEPT = new Set(
  'd x y x1 y1 x2 y2 cx cy r rx ry dx dy width height points transform viewBox preserveAspectRatio role aria-label'.split(
    ' ',
  ),
)
const SVG = 'http://www.w3.org/2000/svg'
/** Smaller ones are icons and bars in a line of text. */
const [MIN_WIDTH, MIN_HEIGHT] = [160, 40]
const [PAD, TITLE] = [16, 34]
/** Pixels of a PNG for each of the page. */
const SCALE = 2

export type Chart = { readonly element: SVGSVGElement; readonly label: string }

const labelOf = (element: Element): string => {
  const part = element.closest('section, figure, .panel')
  const title = part?.querySelector('h2, h3, figcaption')?.textContent
  return element.getAttribute('aria-label') ?? title?.trim() ?? 'Chart'
}

/** The charts that are drawn in a part of the page. */
export const chartsIn = (part: ParentNode): readonly Chart[] =>
  [...part.querySelectorAll('svg')]
    .filter((element) => {
      const { width, height } = element.getBoundingClientRect()
      return width >= MIN_WIDTH && height >= MIN_HEIGHT
    })
    .map((element) => ({ element, label: labelOf(element) }))

/** Copies a drawn element with its look. Handlers, links and scripts are not copied. */
const drawn = (source: Element): Element | null => {
  if (['script', 'foreignObject', 'style'].includes(source.localName)) return null
  const copy = document.createElementNS(SVG, source.localName === 'a' ? 'g' : source.localName)
  for (const { name, value } of source.attributes) if (KEPT.has(name)) copy.setAttribute(name, value)
  const style = getComputedStyle(source)
  for (const name of LOOKS) {
    const value = style.getPropertyValue(name)
    if (value !== '' && value !== 'auto') copy.setAttribute(name, value)
  }
  for (const child of source.childNodes) {
    if (child instanceof Text) copy.append(child.data)
    else if (child instanceof Element) copy.append(drawn(child) ?? '')
  }
  return copy
}

const text = (words: string, look: Readonly<Record<string, string>>): Element => {
  const element = document.createElementNS(SVG, 'text')
  for (const [name, value] of Object.entries(look)) element.setAttribute(name, value)
  element.textContent = words
  return element
}

/** A chart as a document of its own, with a title above it. */
export const svgOf = (
  { element, label }: Chart,
  title: string,
): { readonly text: string; readonly width: number; readonly height: number } => {
  const { width: chartWidth, height: chartHeight } = element.getBoundingClientRect()
  const [width, height] = [Math.ceil(chartWidth) + 2 * PAD, Math.ceil(chartHeight) + TITLE + 2 * PAD]
  const page = getComputedStyle(document.body)
  const root = document.createElementNS(SVG, 'svg')
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}`, role: 'img' }))
    root.setAttribute(name, String(value))
  root.setAttribute('aria-label', label)
  const ground = document.createElementNS(SVG, 'rect')
  const colour = page.getPropertyValue('--surface').trim() || page.backgroundColor
  for (const [name, value] of Object.entries({ width, height, fill: colour })) ground.setAttribute(name, String(value))
  const chart = drawn(element)
  for (const [name, value] of Object.entries({ x: PAD, y: PAD + TITLE, width: chartWidth, height: chartHeight }))
    chart?.setAttribute(name, String(value))
  const look = { x: String(PAD), y: String(PAD + 16), fill: page.color, 'font-family': page.fontFamily }
  root.append(ground, text(title, { ...look, 'font-size': '15', 'font-weight': '600' }), chart ?? '')
  return { text: new XMLSerializer().serializeToString(root), width, height }
}

/** A picture of pixels. Rejects if the browser cannot draw it. */
export const pngOf = async (chart: Chart, title: string): Promise<Blob> => {
  const svg = svgOf(chart, title)
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg.text)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = svg.width * SCALE
  canvas.height = svg.height * SCALE
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  const { promise, resolve, reject } = Promise.withResolvers<Blob>()
  canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the browser made no picture'))), 'image/png')
  return promise
}
