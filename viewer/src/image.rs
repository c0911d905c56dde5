//! Drawings as images: an SVG of ours as a PNG, without a browser.
//!
//! Words are drawn in a typeface that is built in, so an image is the same on each machine, and a node without typefaces makes one, too.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};

/// Letters of Latin, Greek and Cyrillic, and some signs; `viewer/fonts/LICENSE` says under which terms.
const TYPEFACE: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");
const TYPEFACE_NAME: &str = "DejaVu Sans";

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The drawing is none.
    #[error("the drawing cannot be read: {0}")]
    Drawing(#[from] resvg::usvg::Error),
    /// It would be too large, or has no size.
    #[error("an image of {0} by {1} points cannot be made; a scale between 0.1 and 20 can")]
    Size(f32, f32),
    /// It cannot be packed.
    #[error("packing the image: {0}")]
    Packing(String),
}

/// A drawing as a PNG, each of whose points is so many points of the image.
///
/// # Errors
/// When it is no SVG, or the image would have no size or one that no memory holds.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, ImageError> {
    let tree = Tree::from_str(svg, &options())?;
    let size = tree.size();
    let [width, height] = [size.width() * scale, size.height() * scale];
    let too_large = || ImageError::Size(width, height);
    if !(width >= 1.0 && height >= 1.0 && width <= MOST_POINTS && height <= MOST_POINTS) {
        return Err(too_large());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "just checked")]
    let mut image = Pixmap::new(width.ceil() as u32, height.ceil() as u32).ok_or_else(too_large)?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut image.as_mut());
    image.encode_png().map_err(|error| ImageError::Packing(error.to_string()))
}

/// Along each side.
const MOST_POINTS: f32 = 20_000.0;

fn options() -> Options<'static> {
    let mut typefaces = Database::new();
    typefaces.load_font_data(TYPEFACE.to_vec());
    typefaces.set_sans_serif_family(TYPEFACE_NAME);
    Options {
        font_family: TYPEFACE_NAME.to_owned(),
        fontdb: Arc::new(typefaces),
        ..Options::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60\" height=\"20\" font-family=\"Arial, sans-serif\"><rect width=\"60\" height=\"20\" fill=\"#ffffff\"/>WORDS</svg>";

    fn dark_points(svg: &str) -> usize {
        let image = Pixmap::decode_png(&png(svg, 2.0).expect("a drawing")).expect("a PNG");
        assert_eq!((image.width(), image.height()), (120, 40));
        image.pixels().iter().filter(|point| point.red() < 128).count()
    }

    #[test]
    fn words_are_drawn_on_a_machine_without_typefaces() {
        let words = SVG.replace("WORDS", "<text x=\"2\" y=\"15\" font-size=\"14\">Zeit ½ λ</text>");
        assert_eq!(dark_points(&SVG.replace("WORDS", "")), 0);
        assert!(dark_points(&words) > 100);
    }

    #[test]
    fn what_is_no_drawing_or_too_large_is_said() {
        assert!(matches!(png("<html>", 1.0), Err(ImageError::Drawing(_))));
        assert!(matches!(png(SVG, 1e6), Err(ImageError::Size(..))));
        assert!(matches!(png(SVG, f32::NAN), Err(ImageError::Size(..))));
    }
}
