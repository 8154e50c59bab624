"""Writes ed25519.json of the fixtures: edge cases of signatures with the verdict that every implementation must have.

Points of small order are refused, each value has one encoding, and the equation is checked without the cofactor (RFC 8032
5.1.7 leaves the choice). Run: PYTHONPATH=verifier python3 spec/support/verifier/ed25519_cases.py > FILE"""
import hashlib
import json

import ers_verify as e

SECRET = int.from_bytes(hashlib.sha512(b'a public example').digest(), 'little') % e.L
NONCE = int.from_bytes(hashlib.sha512(b'another public example').digest(), 'little') % e.L
IDENTITY = (0, 1, 1, 0)


def encode(point):
    x, y, z, _ = point
    x, y = x * pow(z, -1, e.P) % e.P, y * pow(z, -1, e.P) % e.P
    return (y | (x & 1) << 255).to_bytes(32, 'little')


def challenge(r, key, message):
    return int.from_bytes(hashlib.sha512(r + key + message).digest(), 'little') % e.L


def signed(key, secret, message, r_bytes, nonce):
    return r_bytes + ((nonce + challenge(r_bytes, key, message) * secret) % e.L).to_bytes(32, 'little')


def message_where(condition):
    return next(message for message in (b'message %d' % n for n in range(1000)) if condition(message))


def cases():
    # A point of order 8: a multiple of the group order L of any point outside of the subgroup.
    torsion = next(point for point in (e.times(p, e.L) for p in map(e.decode_point, (bytes([n]) + bytes(31) for n in range(2, 99))) if p)
                   if encode(e.add(e.add(point, point), e.add(point, point))) != encode(IDENTITY))
    key, r = encode(e.times(e.BASE, SECRET)), encode(e.times(e.BASE, NONCE))
    good = signed(key, SECRET, b'hello', r, NONCE)
    yield 'a plain signature', 0, key, b'hello', good
    yield 'the same, another message', 14, key, b'hullo', good
    yield 'S plus the order of the group', 14, key, b'hello', good[:32] + (int.from_bytes(good[32:], 'little') + e.L).to_bytes(32, 'little')
    yield 'S with its highest bit', 14, key, b'hello', good[:63] + bytes([good[63] | 0x80])
    yield 'a byte short', 14, key, b'hello', good[:63]
    yield 'a byte long', 14, key, b'hello', good + b'\0'
    yield 'empty', 14, key, b'hello', b''
    point = IDENTITY
    for n in range(8):
        small = encode(point)
        message = message_where(lambda m: challenge(r, small, m) % 8 == 0)
        yield 'a key of small order, %d' % n, 14, small, message, signed(small, 0, message, r, NONCE)
        point = e.add(point, torsion)
    for name, wrong in (('y = p + 1', (e.P + 1).to_bytes(32, 'little')), ('minus zero', bytes([1]) + bytes(30) + b'\x80'),
                        ('y = p', e.P.to_bytes(32, 'little')), ('no point of the curve', bytes([2]) + bytes(31))):
        message = message_where(lambda m: challenge(r, wrong, m) % 8 == 0)
        yield 'a key that is not canonical: ' + name, 14, wrong, message, signed(wrong, 0, message, r, NONCE)
    for name, wrong in (('y = p + 1', (e.P + 1).to_bytes(32, 'little')), ('minus zero', bytes([1]) + bytes(30) + b'\x80')):
        yield 'R that is not canonical: ' + name, 14, key, b'hello', signed(key, SECRET, b'hello', wrong, 0)
    mixed = encode(e.add(e.times(e.BASE, SECRET), torsion))
    message = message_where(lambda m: challenge(r, mixed, m) % 8 != 0)
    yield 'a key with a part of small order that shows', 14, mixed, message, signed(mixed, SECRET, message, r, NONCE)
    message = message_where(lambda m: challenge(r, mixed, m) % 8 == 0)
    yield 'a key with a part of small order that does not show', 0, mixed, message, signed(mixed, SECRET, message, r, NONCE)
    yield 'R is the neutral point', 14, key, b'hello', signed(key, SECRET, b'hello', encode(IDENTITY), 0)
    r_mixed = encode(e.add(e.times(e.BASE, NONCE), torsion))
    yield 'R with a part of small order', 14, key, b'hello', signed(key, SECRET, b'hello', r_mixed, NONCE)
    yield 'R of small order', 14, key, b'hello', signed(key, SECRET, b'hello', encode(torsion), 0)


VECTORS = [  # RFC 8032 7.1
    ('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', '',
     'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'),
    ('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', '72',
     '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'),
    ('fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025', 'af82',
     '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a')]


def rows():
    for n, (key, message, signature) in enumerate(VECTORS, 1):
        yield {'name': 'RFC 8032 7.1, %d' % n, 'code': 0, 'key': key, 'message': message, 'signature': signature}
    for name, code, key, message, signature in cases():
        yield {'name': name, 'code': code, 'key': key.hex(), 'message': message.hex(), 'signature': signature.hex()}


print('[\n' + ',\n'.join(json.dumps(row) for row in rows()) + '\n]')
