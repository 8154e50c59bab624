import { expect, it } from 'vitest'
import { parseYaml } from '../../../../interchange/importers/table/map.ts'

it('the YAML of a map has each key once, and no aliases', () => {
  expect(parseYaml('a: 1\nb: {c: [x, y]}')).toEqual({ a: 1, b: { c: ['x', 'y'] } })
  expect(() => parseYaml('a: 1\nb: 2\na: 3')).toThrow('is not valid YAML: the key a is there twice')
  expect(() => parseYaml('a: {b: 1, b: 2}')).toThrow('the key b is there twice')
  expect(() => parseYaml('a: &a {x: 1}\nb: *a')).toThrow('is not valid YAML')
  expect(() => parseYaml('a: [')).toThrow('is not valid YAML')
})
