//! Reads marks.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};

use serde::de::value::UnitDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use super::{LENGTH, NIL, mark};
use crate::actor::crossing::codec::{MOST_LEVELS, too_deep};

/// Reads a value whose bytes have marks. Its errors have the path to the place.
pub(in crate::actor::crossing::codec) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let at = At { bytes, place: Cell::new(0) };
    let mut inner = rmp_serde::Deserializer::new(&at);
    serde_path_to_error::deserialize(In { inner: &mut inner, at: &at }).map_err(|error| error.to_string())
}

/// The bytes, and how many of them are read.
struct At<'b> {
    bytes: &'b [u8],
    place: Cell<usize>,
}

impl<'b> At<'b> {
    fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.place.get()..).unwrap_or_default()
    }

    /// Returns whether bytes come next. `rmp-serde` reads all of them before it gives them one by one as a list.
    fn is_bytes(&self) -> bool {
        matches!(self.rest().first(), Some(0xc4..=0xc6))
    }

    fn skip(&self, bytes: usize) {
        self.place.set(self.place.get() + bytes);
    }
}

impl Read for &At<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.rest().read(into)?;
        self.skip(read);
        Ok(read)
    }
}

/// A deserializer that hands everything on but options, and looks at the byte that comes next.
struct In<'a, 'b, D> {
    inner: D,
    at: &'a At<'b>,
}

const BUFFERED: &str = "a `Some` without content, as `Some(None)` or `Some(())`, cannot cross where serde reads a value before it \
                        knows its type: below `untagged`, `flatten` or a tag inside; use an enum of your own for it";

impl<'de, D: Deserializer<'de>> In<'_, '_, D> {
    /// A mark means something to an option alone.
    fn refuses_mark(&self) -> Result<(), D::Error> {
        match mark(self.at.rest()) {
            Some(_) => Err(D::Error::custom("a `Some` without content came where another type was due")),
            None => Ok(()),
        }
    }
}

/// A visitor, seed or access that hands on what it is given, around what comes next.
struct Around<'a, 'b, X> {
    inner: X,
    at: &'a At<'b>,
}

impl<'a, 'b, X> Around<'a, 'b, X> {
    fn and<Y>(&self, inner: Y) -> Around<'a, 'b, Y> {
        Around { inner, at: self.at }
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for In<'_, '_, D> {
    type Error = D::Error;

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_bool(Around { inner: visitor, at: self.at })
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_i8(Around { inner: visitor, at: self.at })
    }

    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_i16(Around { inner: visitor, at: self.at })
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_i32(Around { inner: visitor, at: self.at })
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_i64(Around { inner: visitor, at: self.at })
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_i128(Around { inner: visitor, at: self.at })
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_u8(Around { inner: visitor, at: self.at })
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_u16(Around { inner: visitor, at: self.at })
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_u32(Around { inner: visitor, at: self.at })
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_u64(Around { inner: visitor, at: self.at })
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_u128(Around { inner: visitor, at: self.at })
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_f32(Around { inner: visitor, at: self.at })
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_f64(Around { inner: visitor, at: self.at })
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_char(Around { inner: visitor, at: self.at })
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_str(Around { inner: visitor, at: self.at })
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_string(Around { inner: visitor, at: self.at })
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_bytes(Around { inner: visitor, at: self.at })
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_byte_buf(Around { inner: visitor, at: self.at })
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_unit(Around { inner: visitor, at: self.at })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        match self.at.is_bytes() {
            true => self.inner.deserialize_seq(visitor),
            false => self.inner.deserialize_seq(Around { inner: visitor, at: self.at }),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_map(Around { inner: visitor, at: self.at })
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_identifier(Around { inner: visitor, at: self.at })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        if mark(self.at.rest()).is_some() {
            return Err(D::Error::custom(BUFFERED));
        }
        self.inner.deserialize_any(Around { inner: visitor, at: self.at })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_ignored_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        if let Some(somes) = mark(self.at.rest()) {
            self.at.skip(LENGTH);
            return Nil::within(somes)?.deserialize_option(visitor);
        }
        match self.at.rest().first() {
            Some(&NIL) => self.inner.deserialize_option(Around { inner: visitor, at: self.at }),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_unit_struct(name, Around { inner: visitor, at: self.at })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        if name == rmp_serde::MSGPACK_EXT_STRUCT_NAME {
            return self.inner.deserialize_newtype_struct(name, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, values: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        match self.at.is_bytes() {
            true => self.inner.deserialize_tuple(values, visitor),
            false => self.inner.deserialize_tuple(values, Around { inner: visitor, at: self.at }),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        values: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        match self.at.is_bytes() {
            true => self.inner.deserialize_tuple_struct(name, values, visitor),
            false => self.inner.deserialize_tuple_struct(name, values, Around { inner: visitor, at: self.at }),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        match self.at.is_bytes() {
            true => self.inner.deserialize_struct(name, fields, visitor),
            false => self.inner.deserialize_struct(name, fields, Around { inner: visitor, at: self.at }),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.refuses_mark()?;
        self.inner.deserialize_enum(name, variants, Around { inner: visitor, at: self.at })
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<'de, X: DeserializeSeed<'de>> DeserializeSeed<'de> for Around<'_, '_, X> {
    type Value = X::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<X::Value, D::Error> {
        self.inner.deserialize(In { inner: deserializer, at: self.at })
    }
}

impl<'de, X: Visitor<'de>> Visitor<'de> for Around<'_, '_, X> {
    type Value = X::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<X::Value, E> {
        self.inner.visit_bool(value)
    }

    fn visit_i8<E: Error>(self, value: i8) -> Result<X::Value, E> {
        self.inner.visit_i8(value)
    }

    fn visit_i16<E: Error>(self, value: i16) -> Result<X::Value, E> {
        self.inner.visit_i16(value)
    }

    fn visit_i32<E: Error>(self, value: i32) -> Result<X::Value, E> {
        self.inner.visit_i32(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<X::Value, E> {
        self.inner.visit_i64(value)
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<X::Value, E> {
        self.inner.visit_i128(value)
    }

    fn visit_u8<E: Error>(self, value: u8) -> Result<X::Value, E> {
        self.inner.visit_u8(value)
    }

    fn visit_u16<E: Error>(self, value: u16) -> Result<X::Value, E> {
        self.inner.visit_u16(value)
    }

    fn visit_u32<E: Error>(self, value: u32) -> Result<X::Value, E> {
        self.inner.visit_u32(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<X::Value, E> {
        self.inner.visit_u64(value)
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<X::Value, E> {
        self.inner.visit_u128(value)
    }

    fn visit_f32<E: Error>(self, value: f32) -> Result<X::Value, E> {
        self.inner.visit_f32(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<X::Value, E> {
        self.inner.visit_f64(value)
    }

    fn visit_char<E: Error>(self, value: char) -> Result<X::Value, E> {
        self.inner.visit_char(value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<X::Value, E> {
        self.inner.visit_str(value)
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<X::Value, E> {
        self.inner.visit_borrowed_str(value)
    }

    fn visit_string<E: Error>(self, value: String) -> Result<X::Value, E> {
        self.inner.visit_string(value)
    }

    fn visit_bytes<E: Error>(self, value: &[u8]) -> Result<X::Value, E> {
        self.inner.visit_bytes(value)
    }

    fn visit_borrowed_bytes<E: Error>(self, value: &'de [u8]) -> Result<X::Value, E> {
        self.inner.visit_borrowed_bytes(value)
    }

    fn visit_byte_buf<E: Error>(self, value: Vec<u8>) -> Result<X::Value, E> {
        self.inner.visit_byte_buf(value)
    }

    fn visit_none<E: Error>(self) -> Result<X::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<X::Value, D::Error> {
        self.inner.visit_some(In { inner: deserializer, at: self.at })
    }

    fn visit_unit<E: Error>(self) -> Result<X::Value, E> {
        self.inner.visit_unit()
    }

    /// An extension of the user: `rmp-serde` has read its header already.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<X::Value, D::Error> {
        self.inner.visit_newtype_struct(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<X::Value, A::Error> {
        let seq = self.and(seq);
        self.inner.visit_seq(seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<X::Value, A::Error> {
        let map = self.and(map);
        self.inner.visit_map(map)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variants: A) -> Result<X::Value, A::Error> {
        let variants = self.and(variants);
        self.inner.visit_enum(variants)
    }
}

impl<'de, X: SeqAccess<'de>> SeqAccess<'de> for Around<'_, '_, X> {
    type Error = X::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, X::Error> {
        let seed = self.and(seed);
        self.inner.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, X: MapAccess<'de>> MapAccess<'de> for Around<'_, '_, X> {
    type Error = X::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, X::Error> {
        let seed = self.and(seed);
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, X::Error> {
        let seed = self.and(seed);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'a, 'b, 'de, X: EnumAccess<'de>> EnumAccess<'de> for Around<'a, 'b, X> {
    type Error = X::Error;
    type Variant = Around<'a, 'b, X::Variant>;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self::Variant), X::Error> {
        let at = self.at;
        // The name of the variant is no option, and `rmp-serde` may have read its first byte already.
        let (value, inner) = self.inner.variant_seed(seed)?;
        Ok((value, Around { inner, at }))
    }
}

impl<'de, X: VariantAccess<'de>> VariantAccess<'de> for Around<'_, '_, X> {
    type Error = X::Error;

    fn unit_variant(self) -> Result<(), X::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, X::Error> {
        let seed = self.and(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, values: usize, visitor: V) -> Result<V::Value, X::Error> {
        match self.at.is_bytes() {
            true => self.inner.tuple_variant(values, visitor),
            false => {
                let visitor = self.and(visitor);
                self.inner.tuple_variant(values, visitor)
            }
        }
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, X::Error> {
        match self.at.is_bytes() {
            true => self.inner.struct_variant(fields, visitor),
            false => {
                let visitor = self.and(visitor);
                self.inner.struct_variant(fields, visitor)
            }
        }
    }
}

/// A nil inside of so many `Some`s.
struct Nil<E> {
    somes: u32,
    error: std::marker::PhantomData<E>,
}

impl<E: Error> Nil<E> {
    fn within(somes: u32) -> Result<Self, E> {
        match usize::try_from(somes).is_ok_and(|somes| somes <= MOST_LEVELS) {
            true => Ok(Nil { somes, error: std::marker::PhantomData }),
            false => Err(E::custom(too_deep())),
        }
    }
}

impl<'de, E: Error> Deserializer<'de> for Nil<E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.somes {
            0 => visitor.visit_unit(),
            _ => Err(E::custom(BUFFERED)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.somes.checked_sub(1) {
            None => visitor.visit_none(),
            Some(somes) => visitor.visit_some(Nil { somes, error: self.error }),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, E> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        let nothing: UnitDeserializer<E> = ().into_deserializer();
        nothing.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct
        map struct enum identifier
    }
}
