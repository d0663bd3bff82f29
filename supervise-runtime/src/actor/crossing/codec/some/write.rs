//! Writes marks, and counts levels.

use std::fmt::Display;

use serde::ser::{
    Error, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::{NIL, mark, marked};
use crate::actor::crossing::codec::{MOST_LEVELS, Written, too_deep, write_at};

/// A serializer that hands everything on, and looks at the bytes that a `Some` has added.
pub(in crate::actor::crossing::codec) struct Out<'a, S> {
    inner: S,
    written: &'a Written,
    /// The number of lists, maps, variants and `Some`s around.
    level: usize,
}

impl<'a, S: Serializer> Out<'a, S> {
    pub(in crate::actor::crossing::codec) fn new(inner: S, written: &'a Written, level: usize) -> Self {
        Out { inner, written, level }
    }

    /// Returns what the values that are so many levels further inside are written with.
    fn within(&self, levels: usize) -> Result<Inside<'a>, S::Error> {
        let level = self.level + levels;
        match level > MOST_LEVELS {
            true => Err(S::Error::custom(too_deep())),
            false => Ok(Inside { written: self.written, level }),
        }
    }
}

/// The place of the values inside of another one.
#[derive(Clone, Copy)]
pub(in crate::actor::crossing::codec) struct Inside<'a> {
    written: &'a Written,
    level: usize,
}

impl<'a> Inside<'a> {
    fn of<T: ?Sized>(self, value: &'a T) -> Wrapped<'a, T> {
        Wrapped { value, inside: self }
    }
}

/// A value inside of another one.
struct Wrapped<'a, T: ?Sized> {
    value: &'a T,
    inside: Inside<'a>,
}

impl<T: Serialize + ?Sized> Serialize for Wrapped<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(Out::new(serializer, self.inside.written, self.inside.level))
    }
}

/// A list, map or variant with a known number of values.
pub(in crate::actor::crossing::codec) struct Compound<'a, C> {
    inner: C,
    inside: Inside<'a>,
}

/// A list or map that does not say how many values it has: they are written aside, and counted.
pub(in crate::actor::crossing::codec) enum Many<'a, S, C> {
    Known(Compound<'a, C>),
    Unknown { serializer: S, inside: Inside<'a>, values: usize, bytes: Vec<u8> },
}

impl<S: Serializer, C> Many<'_, S, C> {
    fn aside<T: Serialize + ?Sized>(
        values: &mut usize,
        bytes: &mut Vec<u8>,
        level: usize,
        value: &T,
    ) -> Result<(), S::Error> {
        let more = write_at(value, level).map_err(S::Error::custom)?;
        bytes.extend_from_slice(&more);
        *values += 1;
        Ok(())
    }
}

impl<'a, S: Serializer> Serializer for Out<'a, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Many<'a, S, S::SerializeSeq>;
    type SerializeTuple = Compound<'a, S::SerializeTuple>;
    type SerializeTupleStruct = Compound<'a, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Compound<'a, S::SerializeTupleVariant>;
    type SerializeMap = Many<'a, S, S::SerializeMap>;
    type SerializeStruct = Compound<'a, S::SerializeStruct>;
    type SerializeStructVariant = Compound<'a, S::SerializeStructVariant>;

    fn serialize_bool(self, value: bool) -> Result<S::Ok, S::Error> {
        self.inner.serialize_bool(value)
    }

    fn serialize_i8(self, value: i8) -> Result<S::Ok, S::Error> {
        self.inner.serialize_i8(value)
    }

    fn serialize_i16(self, value: i16) -> Result<S::Ok, S::Error> {
        self.inner.serialize_i16(value)
    }

    fn serialize_i32(self, value: i32) -> Result<S::Ok, S::Error> {
        self.inner.serialize_i32(value)
    }

    fn serialize_i64(self, value: i64) -> Result<S::Ok, S::Error> {
        self.inner.serialize_i64(value)
    }

    fn serialize_i128(self, value: i128) -> Result<S::Ok, S::Error> {
        self.inner.serialize_i128(value)
    }

    fn serialize_u8(self, value: u8) -> Result<S::Ok, S::Error> {
        self.inner.serialize_u8(value)
    }

    fn serialize_u16(self, value: u16) -> Result<S::Ok, S::Error> {
        self.inner.serialize_u16(value)
    }

    fn serialize_u32(self, value: u32) -> Result<S::Ok, S::Error> {
        self.inner.serialize_u32(value)
    }

    fn serialize_u64(self, value: u64) -> Result<S::Ok, S::Error> {
        self.inner.serialize_u64(value)
    }

    fn serialize_u128(self, value: u128) -> Result<S::Ok, S::Error> {
        self.inner.serialize_u128(value)
    }

    fn serialize_f32(self, value: f32) -> Result<S::Ok, S::Error> {
        self.inner.serialize_f32(value)
    }

    fn serialize_f64(self, value: f64) -> Result<S::Ok, S::Error> {
        self.inner.serialize_f64(value)
    }

    fn serialize_char(self, value: char) -> Result<S::Ok, S::Error> {
        self.inner.serialize_char(value)
    }

    fn serialize_str(self, value: &str) -> Result<S::Ok, S::Error> {
        self.inner.serialize_str(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<S::Ok, S::Error> {
        self.inner.serialize_bytes(value)
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_none()
    }

    /// Writes a mark if the value is nil, otherwise the value.
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let inside = self.within(1)?;
        let begin = self.written.0.borrow().len();
        let done = value.serialize(Out::new(self.inner, inside.written, inside.level))?;
        let mut bytes = inside.written.0.borrow_mut();
        let somes = match &bytes[begin..] {
            [NIL] => Some(1),
            more if more.len() == super::LENGTH => mark(more).map(|somes| somes.saturating_add(1)),
            _ => None,
        };
        if let Some(somes) = somes {
            bytes.truncate(begin);
            bytes.extend_from_slice(&marked(somes));
        }
        Ok(done)
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_struct(name)
    }

    fn serialize_unit_variant(self, name: &'static str, index: u32, variant: &'static str) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_variant(name, index, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<S::Ok, S::Error> {
        if name == rmp_serde::MSGPACK_EXT_STRUCT_NAME {
            return self.inner.serialize_newtype_struct(name, value);
        }
        let inside = self.within(0)?;
        self.inner.serialize_newtype_struct(name, &inside.of(value))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let inside = self.within(1)?;
        self.inner.serialize_newtype_variant(name, index, variant, &inside.of(value))
    }

    fn serialize_seq(self, values: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        let inside = self.within(1)?;
        Ok(match values {
            Some(_) => Many::Known(Compound { inner: self.inner.serialize_seq(values)?, inside }),
            None => Many::Unknown { serializer: self.inner, inside, values: 0, bytes: Vec::new() },
        })
    }

    fn serialize_tuple(self, values: usize) -> Result<Self::SerializeTuple, S::Error> {
        let inside = self.within(1)?;
        Ok(Compound { inner: self.inner.serialize_tuple(values)?, inside })
    }

    fn serialize_tuple_struct(self, name: &'static str, values: usize) -> Result<Self::SerializeTupleStruct, S::Error> {
        let inside = self.within(1)?;
        Ok(Compound { inner: self.inner.serialize_tuple_struct(name, values)?, inside })
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        values: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        let inside = self.within(2)?;
        Ok(Compound { inner: self.inner.serialize_tuple_variant(name, index, variant, values)?, inside })
    }

    fn serialize_map(self, values: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        let inside = self.within(1)?;
        Ok(match values {
            Some(_) => Many::Known(Compound { inner: self.inner.serialize_map(values)?, inside }),
            None => Many::Unknown { serializer: self.inner, inside, values: 0, bytes: Vec::new() },
        })
    }

    fn serialize_struct(self, name: &'static str, values: usize) -> Result<Self::SerializeStruct, S::Error> {
        let inside = self.within(1)?;
        Ok(Compound { inner: self.inner.serialize_struct(name, values)?, inside })
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        values: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        let inside = self.within(2)?;
        Ok(Compound { inner: self.inner.serialize_struct_variant(name, index, variant, values)?, inside })
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<S: Serializer> SerializeSeq for Many<'_, S, S::SerializeSeq> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        match self {
            Many::Known(known) => known.inner.serialize_element(&known.inside.of(value)),
            Many::Unknown { inside, values, bytes, .. } => {
                Many::<S, S::SerializeSeq>::aside(values, bytes, inside.level, value)
            }
        }
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        match self {
            Many::Known(known) => known.inner.end(),
            Many::Unknown { serializer, inside, values, bytes } => {
                let list = serializer.serialize_seq(Some(values))?;
                inside.written.0.borrow_mut().extend_from_slice(&bytes);
                list.end()
            }
        }
    }
}

impl<S: Serializer> SerializeMap for Many<'_, S, S::SerializeMap> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        match self {
            Many::Known(known) => known.inner.serialize_key(&known.inside.of(key)),
            Many::Unknown { inside, values, bytes, .. } => {
                Many::<S, S::SerializeMap>::aside(values, bytes, inside.level, key)
            }
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        match self {
            Many::Known(known) => known.inner.serialize_value(&known.inside.of(value)),
            Many::Unknown { inside, values, bytes, .. } => {
                Many::<S, S::SerializeMap>::aside(values, bytes, inside.level, value)
            }
        }
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        match self {
            Many::Known(known) => known.inner.end(),
            Many::Unknown { serializer, inside, values, bytes } => {
                let map = serializer.serialize_map(Some(values / 2))?;
                inside.written.0.borrow_mut().extend_from_slice(&bytes);
                map.end()
            }
        }
    }
}

/// Hands on the values of a compound, by the method of its trait.
macro_rules! hands_on {
    ($($kind:ident: $method:ident($($name:ident)?)),* $(,)?) => {$(
        impl<C: $kind> $kind for Compound<'_, C> {
            type Ok = C::Ok;
            type Error = C::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, $($name: &'static str,)? value: &T) -> Result<(), C::Error> {
                self.inner.$method($($name,)? &self.inside.of(value))
            }

            fn end(self) -> Result<C::Ok, C::Error> {
                self.inner.end()
            }
        }
    )*};
}

hands_on! {
    SerializeTuple: serialize_element(),
    SerializeTupleStruct: serialize_field(),
    SerializeTupleVariant: serialize_field(),
    SerializeStruct: serialize_field(name),
    SerializeStructVariant: serialize_field(name),
}
