/** The level of all tests. All intervals have the level 1 minus this. */
export const SIGNIFICANCE = 0.05

const NEAR = {
  above: [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
    33430.57558358813, 2509.0809287301227,
  ],
  below: [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852854,
  ],
}
const FAR = {
  above: [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  below: [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
}
const FARTHEST = {
  above: [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
  ],
  below: [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 1.8463183175100548e-5,
    1.421511758316446e-7, 2.0442631033899397e-15,
  ],
}

const polynomial = (coefficients: readonly number[], x: number): number =>
  coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0)

const ratio = ({ above, below }: typeof NEAR, x: number): number => polynomial(above, x) / polynomial(below, x)

/** The quantile of the normal distribution, to 16 digits (M. J. Wichura, algorithm AS 241, Appl. Stat. 37, 1988, 477-484). */
export const normalQuantile = (p: number): number => {
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) return q * ratio(NEAR, 0.180625 - q * q)
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p))
  return Math.sign(q) * (r <= 5 ? ratio(FAR, r - 1.6) : ratio(FARTHEST, r - 5))
}

/** The coefficients B(2k) / (2k (2k - 1)) of Stirling's series (DLMF 5.11.1). */
const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156]
const MIN_STIRLING = 15

/**
 * What Stirling's formula lacks: ln G(x) - (x - 1/2) ln x + x - ln(2 pi) / 2. All its values are small, so that
 * differences of them lose no digit.
 */
const stirlingRest = (x: number): number => {
  let rest = 0
  let at = x
  for (; at < MIN_STIRLING; at++) rest += (at + 0.5) * Math.log1p(1 / at) - 1
  return rest + polynomial(STIRLING, 1 / (at * at)) / at
}

/** The part of `logWeight` that x does not change. */
const logScale = (a: number, b: number): number => {
  const rests = stirlingRest(a + b) - stirlingRest(a) - stirlingRest(b)
  return 0.5 * Math.log((a * b) / (2 * Math.PI * (a + b))) + rests
}

const logShare = (part: number, both: number, of: number): number => {
  const excess = (of * both - part) / part
  return part * (excess < -0.5 ? Math.log((of * both) / part) : Math.log1p(excess))
}

/** ln of x^a y^b / B(a, b), for y = 1 - x, without the difference of large logarithms. */
const logWeight = (a: number, b: number, x: number, y: number, scale = logScale(a, b)): number =>
  logShare(a, a + b, x) + logShare(b, a + b, y) + scale

const TINY = 1e-300
const kept = (value: number): number => (Math.abs(value) < TINY ? TINY : value)

/** The continued fraction of the incomplete beta function (DLMF 8.17.22), by the modified method of Lentz. */
const betaFraction = (a: number, b: number, x: number): number => {
  let c = 1
  let d = 1 / kept(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; ; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / kept(1 + even * d)
    c = kept(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / kept(1 + odd * d)
    c = kept(1 + odd / c)
    const factor = d * c
    fraction *= factor
    if (Math.abs(factor - 1) < Number.EPSILON) return fraction
  }
}

/**
 * The probability of `k` of `n` tosses of a fair coin: C(n, k) / 2^n, by 1 / C(n, k) = (n + 1) B(k + 1, n - k + 1), so
 * that nothing overflows.
 */
export const coinProbability = (k: number, n: number): number =>
  (4 * Math.exp(logWeight(k + 1, n - k + 1, 0.5, 0.5))) / (n + 1)

/** The regularised incomplete beta function I(x; a, b) for y = 1 - x: two arguments, so that neither loses digits. */
export const incompleteBeta = (a: number, b: number, x: number, y = 1 - x): number => {
  if (x <= 0) return 0
  if (y <= 0) return 1
  const weight = Math.exp(logWeight(a, b, x, y))
  return x < (a + 1) / (a + b + 2) ? (weight / a) * betaFraction(a, b, x) : 1 - (weight / b) * betaFraction(b, a, y)
}

const MAX_STEPS = 200

/** x and 1 - x of a logit. */
const shares = (z: number): readonly [number, number] => {
  const smaller = 1 / (1 + Math.exp(Math.abs(z)))
  const larger = 1 / (1 + Math.exp(-Math.abs(z)))
  return z < 0 ? [smaller, larger] : [larger, smaller]
}

/**
 * Quantiles of the beta distribution, for ascending probabilities between 0 and 1: Halley's method on the logit of x and the
 * logarithm of the smaller tail, from the quantile before, with bisection where a step leaves the bounds that are known. To
 * about 12 digits, of the distance to the nearer end too.
 */
export const betaQuantiles = (a: number, b: number, probabilities: Float64Array): Float64Array => {
  const scale = logScale(a, b)
  const cut = (a + 1) / (a + b + 2)
  const quantiles = new Float64Array(probabilities.length)
  let z = Math.log(a / b)
  let low = -Infinity
  for (const [i, p] of probabilities.entries()) {
    const isLower = p < 0.5
    const wanted = Math.log(isLower ? p : 1 - p)
    let high = Infinity
    let reach = 1
    for (let step = 0; step < MAX_STEPS; step++) {
      const [x, y] = shares(z)
      const weight = Math.exp(logWeight(a, b, x, y, scale))
      const isLeft = x < cut
      const part = isLeft ? (weight / a) * betaFraction(a, b, x) : (weight / b) * betaFraction(b, a, y)
      const tail = isLeft === isLower ? part : 1 - part
      const error = (isLower ? 1 : -1) * (Math.log(tail) - wanted)
      const slope = weight / tail
      const newton = -error / slope
      // Half of the second derivative over the first: of ln(weight), and what the logarithm adds.
      const bend = (a * y - b * x + (isLower ? -slope : slope)) / 2
      const halley = newton / (1 + newton * bend)
      const moved = halley * newton > 0 ? halley : newton
      if (Math.abs(moved) <= 1e-13 * Math.max(1, Math.abs(z)) || high - low <= 1e-14 * Math.abs(z)) break
      if (error > 0) high = z
      else low = z
      const next = z + moved
      if (next > low && next < high) z = next
      else if (high === Infinity) z += reach *= 2
      else if (low === -Infinity) z -= reach *= 2
      else z = (low + high) / 2
    }
    quantiles[i] = shares(z)[0]
    // The next quantile is not smaller, but this one may be too large by its last digits.
    low = z - 1e-9 * Math.max(1, Math.abs(z))
  }
  return quantiles
}

/** The two-sided p-value of Student's t: the probability of a value at least as far from 0. */
export const studentP = (t: number, df: number): number => {
  const squared = t * t
  return squared === Infinity ? 0 : incompleteBeta(df / 2, 0.5, df / (df + squared), squared / (df + squared))
}

const studentDensity = (t: number, df: number): number => {
  const x = df / (df + t * t)
  // Of both halves: the derivative of the two-sided p-value, without its sign.
  return (2 * Math.exp(logWeight(df / 2, 0.5, x, 1 - x))) / Math.abs(t)
}

/**
 * The quantile of Student's t: the value whose two-sided p-value is 2 (1 - p), by Newton's method, with bisection where
 * a step leaves the bounds that are known.
 */
export const studentQuantile = (p: number, df: number): number => {
  if (p === 0.5) return 0
  const tail = 2 * Math.min(p, 1 - p)
  let [low, high] = [0, 1]
  while (studentP(high, df) > tail) [low, high] = [high, high * 2]
  for (let t = (low + high) / 2; ;) {
    const error = studentP(t, df) - tail
    if (error > 0) low = t
    else high = t
    const step = t + error / studentDensity(t, df)
    const isFound = Math.abs(step - t) <= 2 * Number.EPSILON * t || high - low <= Number.EPSILON * t
    if (isFound) return p < 0.5 ? -step : step
    t = step > low && step < high ? step : (low + high) / 2
  }
}
